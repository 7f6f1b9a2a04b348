// Everything `status` shows: from what the last run left, and from the published copy.
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { sqlFile } from "../../load/sql/sqlFile.ts"
import { openPublishedCopy } from "../../load/published/read/openPublishedCopy.ts"
import { isPublished, isReadable } from "../../load/published/read/PublishedCopy.ts"
import type { Problem } from "../../domain/run/problem.ts"
import { readHealth } from "../publication/health.ts"
import { readPostgresState } from "../publication/postgres.ts"
import { type LastRun, lastRunFile, readLastRun } from "../run/lastRun.ts"
import { type Freshness, freshnessOf } from "./problems/freshness.ts"
import { problemsOf } from "./problems/problems.ts"

type Row = Readonly<Record<string, unknown>>
type Rows = ReadonlyArray<Row>

/** SQL of each part: warehouse/status/<part>.sql. */
const parts = ["tables", "gaps", "quarantine", "drift", "swaps"] as const

type Parts = Readonly<Record<(typeof parts)[number], Rows>>

export interface Status extends Parts {
  readonly asOf: string
  /** `unknown` until a run has ended. */
  readonly health: "good" | "attention" | "unknown"
  readonly problems: ReadonlyArray<Problem>
  readonly lastRun: LastRun | null
  /** Null before the first publication; the parts above are empty then. */
  readonly published: Row | null
  readonly freshness: ReadonlyArray<Freshness>
}

export const readStatus = Effect.fnUntraced(function* (dataDir: string, memoryLimit?: string) {
  const now = yield* Clock.currentTimeMillis
  yield* isReadable(
    lastRunFile(dataDir),
    "Run this as the user of the runs; `vaulthouse runs` shows what is published.",
  )
  const health = yield* readHealth(dataDir)
  const lastRun = yield* readLastRun(dataDir)
  const problems = problemsOf(health, lastRun, now, yield* readPostgresState(dataDir))
  const copy = (yield* isPublished(dataDir))
    ? yield* openPublishedCopy(dataDir, memoryLimit)
    : undefined
  const rowsOf = (part: string) =>
    copy === undefined ? Effect.succeed([]) : copy.rows(sqlFile("status", part))
  const rows = yield* Effect.forEach(parts, (part) =>
    Effect.map(rowsOf(part), (found) => [part, found] as const),
  )
  const [published = null] = yield* rowsOf("published")
  const known = health === undefined ? "unknown" : "good"
  return {
    asOf: new Date(now).toISOString(),
    health: problems.length > 0 ? "attention" : known,
    problems,
    lastRun: lastRun ?? null,
    published,
    freshness: freshnessOf(health?.freshness ?? [], now),
    ...(Object.fromEntries(rows) as Parts),
  } satisfies Status
})
