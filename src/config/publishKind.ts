// The setting `publish`: what a run publishes, and where to.
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
      describe: "Beginning of the names of the schemas there, where others have such names too",
    },
    postgresRole: {
      kind: { type: "text", example: "analysts" },
      default: undefined,
      describe: "Role that may read the schemas there; created where there is none",
    },
  },
} as const satisfies Kind
