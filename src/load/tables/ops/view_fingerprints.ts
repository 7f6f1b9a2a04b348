// ops.view_fingerprints: how each view, macro and dictionary table was defined, so that only changed ones are made again.
import { text } from "../../../domain/table/column.ts"
import type { Table } from "../../../domain/table/table.ts"

export const viewFingerprints: Table = {
  schema: "ops",
  name: "view_fingerprints",
  mode: "replace",
  grain: "view, macro or dictionary table",
  comment:
    "How each view and macro of schema mart, and each part of schema meta, was defined when it was made.",
  source: "the publisher",
  key: ["name"],
  columns: [
    text("name", "Name with its schema; `*` for all files and tables that they are made from", {
      required: true,
    }),
    text("fingerprint", "SHA-256 of the statements that made it, its comments included", {
      required: true,
    }),
  ],
  example: "select name from ops.view_fingerprints order by name",
}
