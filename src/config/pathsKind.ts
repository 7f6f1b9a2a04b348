// The setting `paths`: paths of endpoints that the API document names without showing where they are.
import type { Kind } from "./kinds.ts"

const pathField = (what: string) =>
  ({
    kind: { type: "servicePath", example: "/subaccount/{address}/…" },
    default: undefined,
    describe: `Path of ${what}`,
  }) as const

export const pathsKind = {
  type: "record",
  fields: {
    cefiPositions: pathField("CeFi positions of a subaccount"),
    subaccountLoans: pathField("loans of a subaccount"),
    subaccountOtcPositions: pathField("OTC positions of a subaccount"),
    keyVerification: pathField("the check of an API key"),
  },
} as const satisfies Kind
