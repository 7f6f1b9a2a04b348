// The setting `publish`: whether a run publishes, and where.
import type { Kind } from "./kinds.ts"

export const publishKind = {
  type: "record",
  fields: {
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
      describe: "Prefix of the schema names there, for a database where others use the same names",
    },
    postgresRole: {
      kind: { type: "text", example: "analysts" },
      default: undefined,
      describe: "Role that may read the schemas there; created if missing",
    },
  },
} as const satisfies Kind
