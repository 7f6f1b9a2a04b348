// The context of every handler: the published copies, cached results, assets and access control.
import * as Cache from "effect/Cache"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type { LatestCopy } from "../pipelines/readers/latestCopy.ts"
import {
  type QueryVocabulary,
  readQueryVocabulary,
} from "../pipelines/readers/query/queryVocabulary.ts"
import type { FieldSetting } from "../domain/table/shape.ts"
import type { QueryParameters } from "../domain/values/queryParameter.ts"
import { type PublishedCopy, type ReadError, sqlFile } from "../pipelines/readers/published.ts"
import type { Access } from "./access.ts"
import type { Assets } from "./assets.ts"
import { type Overview, readOverview } from "./vaults.ts"
import type { Days } from "./periods/period.ts"
import { readPeriodFigures, type VaultPeriod } from "./periodFigures.ts"
import type { Row } from "./html/columns.ts"
import { type TableSection, tableSection } from "./html/table.ts"
import type { QueryContext } from "./runQuery.ts"
import { filledSql } from "./sql/filledSql.ts"

export interface Site extends QueryContext {
  readonly dataDir: string
  /** The location of the archive if it is not in `dataDir`. */
  readonly archive: string | undefined
  /** The setting `fields`, which has names of columns. */
  readonly fields: Readonly<Record<string, FieldSetting>>
  readonly assets: Assets
  readonly overview: Effect.Effect<Overview, ReadError>
  readonly completeness: Effect.Effect<Completeness, ReadError>
  readonly vocabulary: Effect.Effect<QueryVocabulary, ReadError>
  readonly periodFigures: PeriodFigures
  /** The instant of a past state, in microseconds since 1970: all that is read is what was known then. */
  readonly asOf?: number
  readonly access: Access
  readonly run: <A, E>(
    effect: Effect.Effect<A, E>,
    options: { readonly signal: AbortSignal },
  ) => Promise<Exit.Exit<A, E>>
}

// A copy never changes; only the ages in it do, and those are shown in hours.
const OVERVIEW_LIFETIME = "5 minutes"

/** What was read is kept for a time; a failure is not, as the next attempt may succeed. */
export const keptFor =
  (lifetime: Duration.Input) =>
  (read: Exit.Exit<unknown, unknown>): Duration.Input =>
    Exit.isSuccess(read) ? lifetime : 0

/** The overview of a large warehouse takes seconds to read, so it is cached; the server reads it at the start. */
export const cachedOverview = (latest: LatestCopy) =>
  cached(latest, OVERVIEW_LIFETIME, readOverview)

/** How complete the days of all vaults and series are, and what there is to choose from. */
export interface Completeness {
  readonly days: ReadonlyArray<Row>
  readonly choices: ReadonlyArray<Row>
}

/** Also read at the start and cached. */
export const cachedCompleteness = (latest: LatestCopy) =>
  cached(latest, OVERVIEW_LIFETIME, (copy) =>
    Effect.all({
      days: copy.rows(sqlFile("serve", "data_days"), {
        vault_address: null,
        series: null,
        from_day: null,
        to_day: null,
      }),
      choices: copy.rows(sqlFile("serve", "data_choices")),
    }),
  )

/** The figures of each vault over the days, by the key of the vault. */
export type PeriodFigures = (
  days: Days,
) => Effect.Effect<ReadonlyMap<string, VaultPeriod>, ReadError>

const MAX_PERIODS = 16

/** The newest periods that were read are cached. */
export const cachedPeriodFigures = Effect.fnUntraced(function* (latest: LatestCopy) {
  const cache = yield* Cache.makeWith(
    (key: string) => {
      const [, from = "", to = ""] = key.split(" ")
      return latest.read((copy) => readPeriodFigures(copy, { from, to }))
    },
    { capacity: MAX_PERIODS, timeToLive: keptFor(OVERVIEW_LIFETIME) },
  )
  return (({ from, to }) =>
    Effect.flatMap(latest.publication, ({ file }) =>
      Cache.get(cache, `${file} ${from} ${to}`),
    )) satisfies PeriodFigures
})

export const cachedVocabulary = (latest: LatestCopy) =>
  cached(latest, "1 hour", readQueryVocabulary)

/** Caches what `read` returns for the newest copy. */
const cached = <A>(
  latest: LatestCopy,
  lifetime: Duration.Input,
  read: (copy: PublishedCopy) => Effect.Effect<A, ReadError>,
) =>
  Effect.map(
    Cache.makeWith((_file: string) => latest.read(read), {
      capacity: 1,
      timeToLive: keptFor(lifetime),
    }),
    (cache) => Effect.flatMap(latest.publication, ({ file }) => Cache.get(cache, file)),
  )

/** A section of a page with the rows of `warehouse/serve/<page>_<part>.sql`. */
export const sqlSection = (
  { latest }: Site,
  page: string,
  part: string,
  section: TableSection<Row>,
  parameters: QueryParameters = {},
) => {
  const sql = sqlFile("serve", `${page}_${part}`)
  const source = { sql: filledSql(sql, parameters), what: section.title }
  return latest.read((copy) =>
    Effect.map(copy.rows(sql, parameters), (rows) =>
      tableSection(part, { ...section, source }, rows),
    ),
  )
}
