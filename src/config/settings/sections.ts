// The settings that are sections: their members, each with its default. Imports nothing heavy: every `--help` loads it.
import type { Fields } from "./kinds.ts"

/** A section, whose default is made of its members' defaults. */
const section = <const F extends Fields>(fields: F) => ({
  kind: { type: "record", fields } as const,
  default: Object.fromEntries(
    Object.entries(fields).flatMap(([name, field]) =>
      field.default === undefined ? [] : [[name, field.default]],
    ),
  ),
})

/** What a warehouse in a lake needs besides its catalog. */
export const lake = section({
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
})

const fieldName = { type: "text", example: "mgmtFee" } as const
const fieldNames = { type: "list", of: fieldName, nonEmpty: true } as const

/** The fields of columns and of tables, for what the API document does not name. */
export const fields = {
  kind: {
    type: "map",
    keys: "columns such as fees.management_fee_pct, or tables such as allocation_history",
    of: {
      type: "anyOf",
      of: [
        fieldName,
        fieldNames,
        {
          type: "record",
          fields: {
            field: {
              kind: fieldName,
              default: undefined,
              describe: "Wire name, for a column with a scale",
            },
            scale: {
              kind: { type: "number", above: 0, none: "none" },
              default: undefined,
              describe: "What the number in the field is multiplied by, such as 0.000001",
            },
            keys: {
              kind: { type: "anyOf", of: [{ type: "choice", of: ["*"] }, fieldNames] },
              default: undefined,
              describe:
                "Of a table: the fields whose names are the keys of its records, such as protocols; `*` for all others",
            },
            except: {
              kind: { type: "list", of: fieldName },
              default: undefined,
              describe: "Of a table: fields that are not keys",
            },
          },
        },
      ],
    },
  },
  default: {},
} as const

const pathField = (content: string) =>
  ({
    kind: { type: "servicePath", example: "/subaccount/{address}/…" },
    default: undefined,
    describe: `Path of ${content}`,
  }) as const

/** Endpoints that the API document names without showing where they are. */
export const paths = section({
  cefiPositions: pathField("CeFi positions of a subaccount"),
  subaccountLoans: pathField("loans of a subaccount"),
  subaccountOtcPositions: pathField("OTC positions of a subaccount"),
  keyVerification: pathField("the check of an API key"),
})

/** How the service spells its query parameters. */
export const wire = section({
  case: {
    kind: { type: "choice", of: ["camel", "snake"] },
    default: "camel",
    describe: "Spelling of query parameters the API document does not show",
  },
  names: {
    kind: {
      type: "map",
      of: { type: "text", example: "vault_address" },
      keys: "client-side names (or endpoint.name)",
    },
    default: {},
    describe: "Query parameters that the service spells differently",
  },
})

export const vaults = section({
  include: {
    kind: { type: "list", of: { type: "address" } },
    default: [],
    describe: "Only these vaults; all when empty",
  },
  exclude: {
    kind: { type: "list", of: { type: "address" } },
    default: [],
    describe: "All vaults except these",
  },
})

/** Which Parquet files a publication has, and how they are written. */
export const parquet = section({
  enabled: {
    kind: { type: "boolean" },
    default: true,
    describe: "Publish the tables as Parquet too; `false` removes published files",
  },
  marts: {
    kind: { type: "boolean" },
    default: false,
    describe: "Publish the marts as Parquet too",
  },
})

/** Whether a run publishes, and where. */
export const publish = section({
  enabled: {
    kind: { type: "boolean" },
    default: true,
    describe: "Publish after a run that found something new",
  },
  postgres: {
    kind: { type: "postgresUrl" },
    default: undefined,
    describe: "PostgreSQL database to publish to as well",
  },
  postgresPrefix: {
    kind: { type: "name", example: "vaulthouse_" },
    default: undefined,
    describe:
      "Prefix of the schema names in PostgreSQL, for a database where others use the same names",
  },
  postgresRole: {
    kind: { type: "text", example: "analysts" },
    default: undefined,
    describe: "PostgreSQL role that may read the schemas; created if missing",
  },
})

export const publishedKeep = section({
  copies: {
    kind: { type: "integer", min: 0, max: 1000 },
    default: 1,
    describe: "Earlier publications to keep in addition to the current one",
  },
  days: {
    kind: { type: "integer", min: 0, max: 3650 },
    default: 7,
    describe: "Days to keep an earlier publication after the next one replaced it",
  },
})

/** When `vaulthouse schedule` runs each group of pipelines. */
export const schedule = section({
  hourly: {
    kind: { type: "cron" },
    default: "7 * * * *",
    describe: "When `vaulthouse schedule` runs the hourly pipelines",
  },
  daily: {
    kind: { type: "cron" },
    default: "37 3 * * *",
    describe: "When it runs the daily pipelines",
  },
  maintenance: {
    kind: { type: "cron" },
    default: "17 4 * * *",
    describe: "When it maintains a lake (`vaulthouse maintain`)",
  },
  jitterSeconds: {
    kind: { type: "integer", min: 0, max: 3600 },
    default: 60,
    describe: "Longest random delay of a run, so that many installations don't start together",
  },
})

/** The report that is written after each run that publishes. */
export const report = section({
  file: {
    kind: { type: "path", endings: ["html", "pdf", "png"] },
    default: undefined,
    describe: "File to write after each run that publishes: .html, .pdf or .png",
  },
  days: {
    kind: { type: "integer", min: 1, max: 3650 },
    default: 30,
    describe: "Length of the period in days",
  },
  vaults: {
    kind: { type: "list", of: { type: "text", example: "Harbor USDC 1" } },
    default: [],
    describe: "Addresses or names of the vaults; all when empty",
  },
})
