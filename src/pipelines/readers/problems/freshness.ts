// How old each series, and each pipeline that has none, is at the present time: computed from health.json.
import { MILLIS_PER_HOUR } from "../../../domain/values/time.ts"
import type { Health, HealthRow } from "../../publication/health.ts"

export interface Freshness {
  /** A series, or a pipeline that has none. */
  readonly subject: string
  readonly pipeline: string
  /** Active vaults; of a pipeline without a series, whatever it reads separately. */
  readonly entities: number
  /** Those of them that have a fact. */
  readonly with_facts: number
  /** Those whose newest fact is older than the target. */
  readonly stale: number
  /** The newest fact, ISO-8601 UTC; without facts the newest answered task, null without either. */
  readonly newest_at: string | null
  readonly age_hours: number | null
  /** The newest fact of the vault that is furthest behind, and its name. */
  readonly oldest_at: string | null
  readonly oldest_name: string | null
  readonly target_hours: number
}

type Row = HealthRow<"freshness">

/** In hours, to a tenth. `now` in milliseconds since 1970. */
export const ageHours = (instant: string, now: number): number =>
  Math.round((now - Date.parse(instant)) / (MILLIS_PER_HOUR / 10)) / 10

/** `12.3 h`, `5 d`: in days from two days on. */
export const ageText = (hours: number): string =>
  hours < 48 ? `${hours} h` : `${Math.floor(hours / 24).toLocaleString("en")} d`

const countEntities = (rows: ReadonlyArray<Row>): number =>
  rows.reduce((total, { entities }) => total + entities, 0)

/** `now` in milliseconds since 1970. */
export const freshnessOf = (
  freshness: Health["freshness"],
  now: number,
): ReadonlyArray<Freshness> =>
  [...Map.groupBy(freshness, ({ subject }) => subject)].flatMap(([subject, rows]) => {
    const [first] = rows
    if (first === undefined) return []
    const dated = rows
      .filter(({ newest_at }) => newest_at !== undefined)
      .toSorted((a, b) => Date.parse(a.newest_at ?? "") - Date.parse(b.newest_at ?? ""))
    const isStale = ({ newest_at, target_hours }: Row): boolean =>
      now - Date.parse(newest_at ?? "") > target_hours * MILLIS_PER_HOUR
    const [oldest] = dated
    const newest_at = dated.at(-1)?.newest_at ?? null
    return [
      {
        subject,
        pipeline: first.pipeline,
        entities: countEntities(rows),
        with_facts: countEntities(dated),
        stale: countEntities(dated.filter(isStale)),
        newest_at,
        age_hours: newest_at === null ? null : ageHours(newest_at, now),
        oldest_at: oldest?.newest_at ?? null,
        oldest_name: oldest?.example ?? null,
        target_hours: first.target_hours,
      },
    ]
  })
