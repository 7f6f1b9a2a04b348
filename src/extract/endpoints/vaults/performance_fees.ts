// Performance fees of a vault for the year or month to date, or for a configured range.
import { endpoint, type RejectedInput } from "../../Endpoint.ts"
import { address, boolean, instant, number, oneOf, optional } from "../../Parameter.ts"
import { AnyRecord } from "../records.ts"

/** §7, rule 6: startDate and endDate are given together. */
const bothOrNeither = (inputs: Readonly<Record<string, unknown>>): RejectedInput | undefined => {
  const [present, absent] =
    inputs["startDate"] === undefined ? ["endDate", "startDate"] : ["startDate", "endDate"]
  return inputs[present] !== undefined && inputs[absent] === undefined
    ? { parameter: absent, detail: `is missing; it is required with ${present}` }
    : undefined
}

export const performanceFees = endpoint({
  name: "performance_fees",
  title: "Performance fees",
  section: "§4.4, §2.9, §5.8, §7, §8",
  method: "GET",
  path: "/metrics/vault_performance_fees",
  auth: "undocumented",
  parameters: {
    vault: address(),
    calculationPeriod: optional(oneOf("YearToDate", "MonthToDate")),
    startDate: optional(instant),
    endDate: optional(instant),
    annualizedFeesPct: optional(number()),
    nativeDenominated: optional(boolean),
  },
  rule: bothOrNeither,
  serverCacheSeconds: 1200,
  // §8: the first call is slow.
  attemptSeconds: 180,
  // §7 does not show the status for insufficient snapshot data.
  absences: { "4xx": "empty" },
  response: AnyRecord,
})
