// The result of a task whose rows the warehouse refuses (a value that a column can't hold): its response is quarantined
// like one that broke the contract, and its days stay an open gap if later runs read that.
import { ApiError } from "../../../domain/wire/errors.ts"
import { endOfDay, startOfDay } from "../../../domain/values/time.ts"
import type { DayRange } from "../../../extract/paginators/dateWindow.ts"
import { LoadError } from "../../../load/errors.ts"
import type { AnyPipeline } from "../../model/Pipeline.ts"
import type { GapNote, TaskResult } from "../../model/TaskResult.ts"
import { leaving } from "../../strategies/cursors.ts"

/** DuckDB's errors about values; others (no space, no memory) are about the warehouse itself. */
const aboutValues =
  /^((Conversion|Constraint|Invalid Input|Invalid Type|Out of Range|Invalid) Error|Failed to append: .*constraint)/i

export const isRefusedByWarehouse = (error: unknown): error is LoadError =>
  error instanceof LoadError &&
  (error.reason === "InvalidRow" || (error.reason === "Database" && aboutValues.test(error.why)))

export const refusedResult = (
  { endpoint, leavesInQuarantine }: Pick<AnyPipeline, "endpoint" | "leavesInQuarantine">,
  entity: string,
  result: TaskResult,
  { what, why }: LoadError,
): TaskResult => {
  const { window, series, covers, gapIfRefused, responses, requests, drift = [], cursor } = result
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
    ...(cursor === undefined || leavesInQuarantine !== true ? {} : { cursor }),
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

/**
 * What the results before it mean for the cursor of the partition. `left`: it passes responses that are in quarantine, the
 * last of them received then.
 */
export type Before =
  | { readonly mayMove: true; readonly left?: number | undefined }
  | { readonly mayMove: false }

/** What a refused result means for those after it: where nothing stands for the missing rows, the cursor must not pass them. */
export const afterRefusal = (
  { leavesInQuarantine }: Pick<AnyPipeline, "leavesInQuarantine">,
  before: Before,
  refused: TaskResult,
): Before => {
  if (!before.mayMove) return before
  if (leavesInQuarantine === true)
    return { mayMove: true, left: refused.responses.at(-1)?.receivedAt }
  return refused.gaps === undefined ? { mayMove: false } : before
}

/** The result with the cursor that it may store after those before it; that of a single series it may store in any case. */
export const following = (entity: string, before: Before, result: TaskResult): TaskResult => {
  const { cursor, ...others } = result
  if (cursor === undefined || cursor.entity !== entity) return result
  if (!before.mayMove) return others
  return before.left === undefined
    ? result
    : { ...others, cursor: { entity, value: leaving(cursor.value, before.left) } }
}

/** Whether the warehouse did not try a commit, because one before it was refused. */
export const isNotTried = (error: unknown): boolean =>
  error instanceof LoadError && error.reason === "NotTried"
