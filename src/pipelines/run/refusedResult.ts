// The result of a task whose rows the warehouse refuses (a value that a column can't hold): its response is quarantined
// like one that broke the contract, and its days stay an open gap if later runs read that.
import { ApiError } from "../../domain/errors.ts"
import { endOfDay, startOfDay } from "../../domain/time.ts"
import type { DayRange } from "../../extract/paginators/dateWindow.ts"
import { LoadError } from "../../load/errors.ts"
import type { GapNote, TaskResult } from "../model/TaskResult.ts"

/** DuckDB's errors about values; others (no space, no memory) are about the warehouse itself. */
const aboutValues =
  /^((Conversion|Constraint|Invalid Input|Invalid Type|Out of Range|Invalid) Error|Failed to append: .*constraint)/i

export const isRefusedByWarehouse = (error: unknown): error is LoadError =>
  error instanceof LoadError &&
  (error.reason === "InvalidRow" || (error.reason === "Database" && aboutValues.test(error.why)))

export const refusedResult = (
  endpoint: { readonly name: string; readonly section: string },
  entity: string,
  { window, series, covers, gapIfRefused, responses, requests, drift = [] }: TaskResult,
  { what, why }: LoadError,
): TaskResult => {
  const detail = `its rows can't be stored: ${what}: ${why}`
  return {
    window,
    ...(series === undefined ? {} : { series }),
    ...(covers === undefined ? {} : { covers }),
    rows: [],
    responses,
    requests,
    drift,
    ...(gapIfRefused === undefined ? {} : { gaps: [openGap(gapIfRefused, detail)] }),
    error: new ApiError({
      reason: { _tag: "ContractViolation", path: "$" },
      endpoint: endpoint.name,
      subject: entity,
      status: 200,
      detail,
      attempts: requests,
      responses,
    }),
  }
}

const openGap = ({ from, to }: DayRange, detail: string): GapNote => ({
  fromAt: startOfDay(from),
  toAt: endOfDay(to),
  reason: "quarantined",
  state: "open",
  detail,
})

/** A result that follows one no gap stands for: without the cursor of the partition, but with that of a single series. */
export const withoutCursorOf = (entity: string, result: TaskResult): TaskResult => {
  const { cursor, ...others } = result
  return cursor?.entity === entity ? others : result
}
