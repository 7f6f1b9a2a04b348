// The time of a record that says of itself only how things stand: when its answer came.
import type { Column } from "../../domain/table.ts"

export const observedAt: Column = {
  name: "observed_at",
  type: "timestamp",
  unit: "UTC",
  required: true,
  comment: "When the answer came; the record carries no time of its own",
}
