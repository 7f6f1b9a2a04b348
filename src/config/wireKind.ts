// The setting `wire`: how the service spells its query parameters.
import type { Kind } from "./kinds.ts"

export const wireKind = {
  type: "record",
  fields: {
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
  },
} as const satisfies Kind
