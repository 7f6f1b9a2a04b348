// The setting `report`: the report that is written after each run that publishes.
import type { Kind } from "./kinds.ts"

export const reportKind = {
  type: "record",
  fields: {
    file: {
      kind: { type: "path" },
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
  },
} as const satisfies Kind
