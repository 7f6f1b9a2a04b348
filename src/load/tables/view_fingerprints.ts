// ops.view_fingerprints: how each view and macro of schema mart was defined, so that only changed ones are made again.
import { text } from "../../domain/column.ts"
import type { Table } from "../../domain/table.ts"

export const viewFingerprints: Table = {
  schema: "ops",
  name: "view_fingerprints",
  mode: "replace",
  grain: "view or macro of schema mart",
  comment: "How each view and macro of schema mart was defined when it was made.",
  source: "the publisher",
  key: ["name"],
  columns: [
    text("name", "Name within schema mart", { required: true }),
    text("fingerprint", "SHA-256 of the statements that made it, its comments included", {
      required: true,
    }),
  ],
  example: "select name from ops.view_fingerprints order by name",
}
