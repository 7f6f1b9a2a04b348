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
  },
} as const satisfies Kind
