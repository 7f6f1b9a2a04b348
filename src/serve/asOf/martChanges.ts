// How the rows of a mart changed between two instants: the mart over what was known at each, compared by its key.
import * as Effect from "effect/Effect"
import { UsageError } from "../../domain/UsageError.ts"
import { identifier } from "../../domain/values/sqlText.ts"
import { type ChangedRow, changedRow, type TableChanges } from "../../pipelines/readers/diff.ts"
import { dictionary, isRelation } from "../../pipelines/readers/dictionary.ts"
import type { PublishedCopy } from "../../pipelines/readers/published.ts"
import { readPast } from "./asOf.ts"

export interface MartChanges {
  /** Empty if nothing changed. */
  readonly tables: ReadonlyArray<TableChanges>
  readonly rows: ReadonlyArray<ChangedRow>
}

interface Options {
  /** In microseconds since 1970; none stands for the time before the first run. */
  readonly before: number | undefined
  /** None stands for now, with all that is stored. */
  readonly after: number | undefined
  /** In its canonical spelling. */
  readonly vault: string | undefined
  readonly limit: number
}

/** Ages in both are counted up to the newer instant: only what was known differs. */
export const martChanges = Effect.fnUntraced(function* (
  copy: PublishedCopy,
  mart: string,
  { before, after, vault, limit }: Options,
) {
  const entry = dictionary().find(({ name }) => name === mart)
  if (entry === undefined || !isRelation(entry)) {
    return yield* new UsageError({
      why: `There is no mart \`${mart}\`.`,
      advice: "`vaulthouse tables mart` lists them.",
    })
  }
  const { key, columns } = entry
  const content = columns.map(({ name }) => name).filter((name) => !key.includes(name))
  if (vault !== undefined && !columns.some(({ name }) => name === "vault_address")) {
    return yield* new UsageError({
      why: `${mart} is not about vaults.`,
      advice: "Leave out --vault.",
    })
  }
  const past = yield* readPast(copy)
  const newer = after ?? past.newest
  const of = (condition: string): string =>
    `SELECT * FROM ${mart} WHERE ${vault === undefined ? "true" : "vault_address = $vault"} AND ${condition}`
  const rowsAt = (micros: number | undefined) =>
    Effect.flatMap(past.at(micros ?? newer, newer), ({ rewritten }) =>
      // Nothing was known before the first run.
      rewritten(copy, of(micros === undefined ? "false" : "true")),
    )
  const sql = changes(key, content, yield* rowsAt(before), yield* rowsAt(newer))
  const rows = yield* copy.rows(
    `WITH changes AS MATERIALIZED (${sql}), counts AS (
       SELECT count(*) FILTER (change = 'new') AS added, count(*) FILTER (change = 'revised') AS revised,
         count(*) FILTER (change = 'ended') AS ended
       FROM changes)
     FROM changes, counts
     ORDER BY change = 'new', change, ${key.map((_, at) => `key_${at}`).join(", ")}
     LIMIT ${limit}`,
    vault === undefined ? {} : { vault },
  )
  const [first] = rows
  const count = (name: string): number => Number(first?.[name] ?? 0)
  return {
    tables:
      first === undefined
        ? []
        : [
            {
              table: mart,
              added: count("added"),
              revised: count("revised"),
              ended: count("ended"),
            },
          ],
    rows: rows.map((row) => changedRow(key, content, row)),
  } satisfies MartChanges
})

/** One row for each key that differs: `change`, `key_0…`, `before_0…` and `after_0…`. */
const changes = (
  key: ReadonlyArray<string>,
  content: ReadonlyArray<string>,
  before: string,
  after: string,
): string => {
  const isSame = key.map(
    (name) => `b.${identifier(name)} IS NOT DISTINCT FROM a.${identifier(name)}`,
  )
  const differs = content.map(
    (name) => `b.${identifier(name)} IS DISTINCT FROM a.${identifier(name)}`,
  )
  return `SELECT
      CASE WHEN b.is_there IS NULL THEN 'new' WHEN a.is_there IS NULL THEN 'ended' ELSE 'revised' END AS change,
      ${[
        ...key.map(
          (name, at) => `coalesce(a.${identifier(name)}, b.${identifier(name)}) AS key_${at}`,
        ),
        ...content.flatMap((name, at) => [
          `b.${identifier(name)} AS before_${at}`,
          `a.${identifier(name)} AS after_${at}`,
        ]),
      ].join(",\n      ")}
    FROM (SELECT *, true AS is_there FROM (\n${after}\n)) AS a
    FULL JOIN (SELECT *, true AS is_there FROM (\n${before}\n)) AS b ON ${isSame.join(" AND ")}
    WHERE a.is_there IS NULL OR b.is_there IS NULL OR ${["false", ...differs].join(" OR ")}`
}
