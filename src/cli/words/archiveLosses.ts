// Lists what can't be read from the archive, for `check --against-archive` and `replay`.
import { count } from "../../domain/values/numbers.ts"
import type { LostRows, UnreadableResponse } from "../../pipelines/archive/rebuild.ts"

/** Returns the path of a segment, for messages. */
export type PathOf = (file: string) => string

/** One line for each damaged place of the archive, with all its responses. */
export const unreadableLines = (
  unreadable: ReadonlyArray<UnreadableResponse>,
  pathOf: PathOf,
): ReadonlyArray<string> =>
  [...Map.groupBy(unreadable, ({ file, why }) => `${pathOf(file)}: ${why}`)].map(
    ([place, responses]) =>
      `  ${place} (${responses.map(({ pipeline, responseId }) => `${pipeline} ${responseId}`).join(", ")})`,
  )

export const lostLines = (lost: ReadonlyArray<LostRows>): ReadonlyArray<string> =>
  lost.map(({ table, rows }) => `  ${table}: ${count(rows)} rows`)
