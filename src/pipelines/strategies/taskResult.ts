// Makes the task result of one window, from its pages or its error.
import type { ApiError } from "../../domain/wire/errors.ts"
import type { Rows } from "../../domain/table/table.ts"
import { mayLackMembers } from "../../domain/wire/violation.ts"
import type { TaskResult } from "../model/TaskResult.ts"
import { asPartial } from "./mapResponse.ts"
import type { Page } from "./readPage.ts"

/** The result of pages that land together. If a record of one was rejected, all their sets count as incomplete. */
export const resultOf = (
  window: string,
  ...pages: ReadonlyArray<Omit<Page<unknown>, "value" | "times" | "count">>
): TaskResult => {
  const rows = pages.flatMap((page) => page.rows)
  const rejected = pages.flatMap((page) => page.rejected)
  return {
    window,
    rows: mayLackMembers(rejected) ? rows.map(asPartial) : rows,
    responses: pages.flatMap(({ responses }) => responses),
    requests: pages.reduce((sum, { requests }) => sum + requests, 0),
    drift: pages.flatMap(({ drift }) => drift),
    rejected,
  }
}

/** The result of a window that could not be read. */
export const failedResult = (window: string, error: ApiError): TaskResult => ({
  window,
  rows: [],
  responses: error.responses,
  requests: error.attempts,
  error,
})

/** Whether a response holds anything of what was requested; a warning or a total next to it does not count. */
export const hasRows = (rows: ReadonlyArray<Rows>): boolean =>
  rows.some(
    ({ secondary, length, emptySets = [] }) =>
      secondary === undefined && length + emptySets.length > 0,
  )
