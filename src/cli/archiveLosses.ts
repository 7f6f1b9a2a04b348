// What can't be read from the archive, for `check --against-archive` and `replay`.
import { count } from "./numbers.ts"
import type { LostRows, UnreadableResponse } from "../pipelines/archive/rebuild.ts"

/** One line for each damaged place of the archive, with all its responses. */
export const unreadableLines = (
  unreadable: ReadonlyArray<UnreadableResponse>,
): ReadonlyArray<string> =>
  [...Map.groupBy(unreadable, ({ file, why }) => `${file}: ${why}`)].map(
    ([place, those]) =>
      `  raw/${place} (${those.map(({ pipeline, responseId }) => `${pipeline} ${responseId}`).join(", ")})`,
  )

export const lostLines = (lost: ReadonlyArray<LostRows>): ReadonlyArray<string> =>
  lost.map(({ table, rows }) => `  ${table}: ${count(rows)} rows`)
