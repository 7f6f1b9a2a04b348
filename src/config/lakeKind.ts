// The setting `lake`: what a warehouse in a lake needs besides its catalog.
import type { Kind } from "./kinds.ts"

export const lakeKind = {
  type: "record",
  fields: {
    data: {
      kind: { type: "location" },
      default: undefined,
      describe:
        "Folder for the lake's Parquet files, at the same path on every machine, or `s3://bucket/prefix`",
    },
    extensions: {
      kind: { type: "path" },
      default: undefined,
      describe:
        "Folder with the `.duckdb_extension` files; without it DuckDB installs them from its repository",
    },
    keepDays: {
      kind: { type: "integer", min: 1, max: 3650 },
      default: 7,
      describe:
        "Days that maintenance keeps snapshots and superseded files for readers that opened the lake before",
    },
  },
} as const satisfies Kind
