// Everything `status` shows: from what the last run left, and from the published copy.
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { decodeRow, number, oneOf, optional, text } from "../../load/duckdb/decodeRow.ts"
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

/** SQL of each part: warehouse/status/<section>.sql. */
const sections = ["tables", "gaps", "quarantine", "drift", "swaps"] as const

type Sections = Readonly<Record<(typeof sections)[number], Rows>>

export interface Status extends Sections {
  readonly asOf: string
  /** `unknown` where none is recorded: until a run has ended here by itself. */
  readonly health: "good" | "attention" | "unknown"
  readonly problems: ReadonlyArray<Problem>
  readonly lastRun: LastRun | null
  /** Null before the first publication; the sections above are empty then. */
  readonly published: Row | null
  readonly freshness: ReadonlyArray<Freshness>
}

const finishedRun = decodeRow({
  run_id: text("run_id"),
  command: text("command"),
  started_at: text("started_at"),
  finished_at: text("finished_at"),
  outcome: oneOf("complete", "partial", "deferred", "failed", "stopped", "killed")("outcome"),
  requests: optional(number)("requests"),
  rows_inserted: optional(number)("rows_inserted"),
  rows_revised: optional(number)("rows_revised"),
  seconds: number("seconds"),
})

/** A run as the published copy has it. */
const publishedRun = (row: Parameters<typeof finishedRun>[0]): LastRun => {
  const { requests, rows_inserted, rows_revised, ...run } = finishedRun(row)
  return {
    ...run,
    requests: requests ?? null,
    rows_inserted: rows_inserted ?? null,
    rows_revised: rows_revised ?? null,
    state: "ended",
    pid: 0,
    host: "",
    error: null,
    published: true,
    key_rejected: false,
    failed_checks: [],
    alive_at: null,
  }
}

export const readStatus = Effect.fnUntraced(function* (dataDir: string) {
  const now = yield* Clock.currentTimeMillis
  yield* isReadable(
    lastRunFile(dataDir),
    "Run this as the user of the runs; `vaulthouse runs` shows what is published.",
  )
  const health = yield* readHealth(dataDir)
  const recorded = yield* readLastRun(dataDir)
  const problems = problemsOf(health, recorded, now, yield* readPostgresState(dataDir))
  const copy = (yield* isPublished(dataDir)) ? yield* openPublishedCopy(dataDir) : undefined
  const rowsOf = (section: string) =>
    copy === undefined ? Effect.succeed([]) : copy.rows(sqlFile("status", section))
  const rows = yield* Effect.forEach(sections, (section) =>
    Effect.map(rowsOf(section), (found) => [section, found] as const),
  )
  const [published = null] = yield* rowsOf("published")
  // After a restore there is no record yet: the newest run is that of the copy.
  const lastRun = recorded ?? (yield* rowsOf("last_run")).map(publishedRun)[0]
  const known = health === undefined ? "unknown" : "good"
  return {
    asOf: new Date(now).toISOString(),
    health: problems.length > 0 ? "attention" : known,
    problems,
    lastRun: lastRun ?? null,
    published,
    freshness: freshnessOf(health?.freshness ?? [], now),
    ...(Object.fromEntries(rows) as Sections),
  } satisfies Status
})
