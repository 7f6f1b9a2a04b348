// Whole runs against a service, and queries of the warehouse afterwards.
import { basename, join } from "node:path"
import { type DuckDBConnection, DuckDBInstance } from "@duckdb/node-api"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { defaultWire } from "../../src/extract/request.ts"
import { identifier, literal } from "../../src/load/sql/sql.ts"
import type { ProgressEvent } from "../../src/pipelines/model/progress.ts"
import { defaultRunSettings } from "../../src/pipelines/model/runSettings.ts"
import { run, type RunOptions } from "../../src/pipelines/run/run.ts"
import { HANG_SECONDS } from "./until.ts"

export interface Overrides extends Partial<Omit<RunOptions, "api" | "settings">> {
  readonly api?: Partial<RunOptions["api"]>
  readonly settings?: Partial<RunOptions["settings"]>
}

/** The defaults of the command, with limits of time that no test meets by accident; what fails for good is soon given up. */
export const runOptions = (
  baseUrl: string,
  dataDir: string,
  { api, settings, ...others }: Overrides = {},
): RunOptions => ({
  dataDir,
  pace: {},
  command: "sync",
  version: "test",
  publish: undefined,
  pipelines: [],
  vaults: { include: [], exclude: [] },
  taskTimeoutSeconds: HANG_SECONDS,
  unsupportedRetryDays: 7,
  onProgress: () => undefined,
  ...others,
  api: {
    baseUrl,
    apiKey: undefined,
    wire: defaultWire,
    requestTimeoutSeconds: HANG_SECONDS,
    retryBudgetSeconds: 30,
    maxResponseMegabytes: 64,
    ...api,
  },
  settings: { ...defaultRunSettings, ...settings },
})

const machineClock = Effect.runSync(Clock.Clock)

/** Waits of less than a minute, as between retries, take a tenth of it; what limits a run to minutes stays as it is. */
const impatientClock = Object.assign(Object.create(machineClock) as Clock.Clock, {
  sleep: (duration: Duration.Duration) => {
    const millis = Duration.toMillis(duration)
    return machineClock.sleep(Duration.millis(millis < 60_000 ? millis / 10 : millis))
  },
})

/** One run with the defaults of the command, and its progress events; not patient unless the test has a clock of its own. */
export const runOnce = Effect.fnUntraced(function* (
  baseUrl: string,
  dataDir: string,
  overrides: Overrides = {},
) {
  const events: Array<ProgressEvent> = []
  const onProgress = (event: ProgressEvent): void => void events.push(event)
  const work = run(runOptions(baseUrl, dataDir, { onProgress, ...overrides }))
  const clock = yield* Clock.Clock
  const summary = yield* Effect.provideService(
    work,
    Clock.Clock,
    clock === machineClock ? impatientClock : clock,
  )
  return { summary, events }
})

type QueryRows = ReadonlyArray<Readonly<Record<string, unknown>>>

// One for all files, since it takes as long to start as a query: a file after another.
const inMemory = DuckDBInstance.create(":memory:", { threads: "1" })
let last: Promise<unknown> = Promise.resolve()

/** Works on a file as a process of its own would, under the name it then has, and lets go of it. */
const attached = <A>(
  file: string,
  access: "READ_ONLY" | "READ_WRITE",
  work: (connection: DuckDBConnection) => Promise<A>,
): Promise<A> => {
  const done = last.then(async () => {
    const connection = await (await inMemory).connect()
    const name = identifier(basename(file, ".duckdb"))
    try {
      await connection.run(`ATTACH ${literal(file)} AS ${name} (${access})`)
      try {
        await connection.run(`USE ${name}`)
        return await work(connection)
      } finally {
        await connection.run(`USE memory; DETACH ${name}`)
      }
    } finally {
      connection.closeSync()
    }
  })
  last = done.catch(() => undefined)
  return done
}

/** Queries the writer's file of a finished run. */
export const query = (dataDir: string, sql: string): Effect.Effect<QueryRows> =>
  queryFile(join(dataDir, "vaulthouse.duckdb"), sql)

export const queryFile = (file: string, sql: string): Effect.Effect<QueryRows> =>
  Effect.map(queriesOfFile(file, [sql]), ([rows = []]) => rows)

/** Several queries while the file is open once, which costs more than most of them do. */
export const queriesOfFile = (
  file: string,
  statements: ReadonlyArray<string>,
): Effect.Effect<ReadonlyArray<QueryRows>> =>
  Effect.promise(() =>
    attached(file, "READ_ONLY", async (connection) => {
      const results: Array<QueryRows> = []
      for (const sql of statements) {
        results.push((await connection.runAndReadAll(sql)).getRowObjectsJson())
      }
      return results
    }),
  )

export const queries = (dataDir: string, statements: ReadonlyArray<string>) =>
  queriesOfFile(join(dataDir, "vaulthouse.duckdb"), statements)

/** Changes the writer's file directly. */
export const change = (
  dataDir: string,
  ...statements: ReadonlyArray<string>
): Effect.Effect<void> => changeFile(join(dataDir, "vaulthouse.duckdb"), ...statements)

export const changeFile = (
  file: string,
  ...statements: ReadonlyArray<string>
): Effect.Effect<void> =>
  Effect.promise(() =>
    attached(file, "READ_WRITE", async (connection) => {
      for (const statement of statements) await connection.run(statement)
    }),
  )

/** Makes the tasks of earlier runs an hour older, so that the server's caches (§8) have expired. */
export const letAnHourPass = (dataDir: string): Effect.Effect<void> =>
  change(dataDir, "update ops.tasks set finished_at = finished_at - interval 1 hour", "checkpoint")

/** How the tasks of each pipeline ended, run by run; different outcomes of one run in one text. */
export const outcomesByPipeline = (dataDir: string) =>
  Effect.map(
    query(
      dataDir,
      `select pipeline, string_agg(distinct outcome, ' ' order by outcome) as outcome from ops.tasks
       group by pipeline, run_id order by max(finished_at)`,
    ),
    (rows) => {
      const byPipeline = Map.groupBy(rows, (row) => String(row["pipeline"]))
      return (pipeline: string): ReadonlyArray<unknown> =>
        (byPipeline.get(pipeline) ?? []).map((row) => row["outcome"])
    },
  )

/** As `outcomesByPipeline`, of one. */
export const outcomes = (dataDir: string, pipeline: string) =>
  Effect.map(outcomesByPipeline(dataDir), (of) => of(pipeline))
