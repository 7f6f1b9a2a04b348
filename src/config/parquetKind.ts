// The setting `parquet`: which Parquet files a publication has, and how they are written.
import type { Kind } from "./kinds.ts"

export const parquetKind = {
  type: "record",
  fields: {
    enabled: {
      kind: { type: "boolean" },
      default: true,
      describe: "Publish the tables as Parquet too; `false` removes published files",
    },
    compression: {
      kind: { type: "choice", of: ["zstd", "snappy"] },
      default: "zstd",
      describe: "Compression of the Parquet files",
    },
    profile: {
      kind: { type: "choice", of: ["standard", "compatible"] },
      default: "standard",
      describe: "`compatible` is for old readers (snappy, timestamps as ISO text)",
    },
    marts: {
      kind: { type: "boolean" },
      default: false,
      describe: "Publish the marts as Parquet too",
    },
  },
} as const satisfies Kind
