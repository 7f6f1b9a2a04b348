// Whole runs against a service, and queries of the warehouse afterwards.
import { join } from "node:path"
import { DuckDBInstance } from "@duckdb/node-api"
import * as Effect from "effect/Effect"
import { defaultWire } from "../../src/extract/request.ts"
import type { ProgressEvent } from "../../src/pipelines/model/progress.ts"
import { defaultRunSettings } from "../../src/pipelines/model/runSettings.ts"
import { run, type RunOptions } from "../../src/pipelines/run/run.ts"

export interface Overrides extends Partial<Omit<RunOptions, "api" | "settings">> {
  readonly api?: Partial<RunOptions["api"]>
  readonly settings?: Partial<RunOptions["settings"]>
}

/** One run with the defaults of the command, and its progress events. */
export const runOnce = Effect.fnUntraced(function* (
  baseUrl: string,
  dataDir: string,
  { api, settings, ...others }: Overrides = {},
) {
  const events: Array<ProgressEvent> = []
  const summary = yield* run({
    dataDir,
    pace: {},
    command: "sync",
    version: "test",
    publish: undefined,
    pipelines: [],
    vaults: { include: [], exclude: [] },
    taskTimeoutSeconds: 120,
    unsupportedRetryDays: 7,
    onProgress: (event) => events.push(event),
    ...others,
    api: {
      baseUrl,
      apiKey: undefined,
      wire: defaultWire,
      requestTimeoutSeconds: 2,
      retryBudgetSeconds: 30,
      maxResponseMegabytes: 64,
      ...api,
    },
    settings: { ...defaultRunSettings, ...settings },
  })
  return { summary, events }
})

type QueryRows = ReadonlyArray<Readonly<Record<string, unknown>>>

/** Queries the writer's file of a finished run. */
export const query = (dataDir: string, sql: string): Effect.Effect<QueryRows> =>
  queryFile(join(dataDir, "vaulthouse.duckdb"), sql)

export const queryFile = (file: string, sql: string): Effect.Effect<QueryRows> =>
  Effect.promise(async () => {
    const instance = await DuckDBInstance.create(file, { access_mode: "READ_ONLY" })
    const connection = await instance.connect()
    try {
      const result = await connection.runAndReadAll(sql)
      return result.getRowObjectsJson()
    } finally {
      // An open connection keeps the file, and its lock, until it is collected.
      connection.closeSync()
      instance.closeSync()
    }
  })

/** Changes the writer's file directly. */
export const change = (
  dataDir: string,
  ...statements: ReadonlyArray<string>
): Effect.Effect<void> => changeFile(join(dataDir, "vaulthouse.duckdb"), ...statements)

export const changeFile = (
  file: string,
  ...statements: ReadonlyArray<string>
): Effect.Effect<void> =>
  Effect.promise(async () => {
    const instance = await DuckDBInstance.create(file)
    const connection = await instance.connect()
    for (const statement of statements) await connection.run(statement)
    connection.closeSync()
    instance.closeSync()
  })

/** Makes the tasks of earlier runs an hour older, so that the server's caches (§8) have expired. */
export const letAnHourPass = (dataDir: string): Effect.Effect<void> =>
  change(dataDir, "update ops.tasks set finished_at = finished_at - interval 1 hour", "checkpoint")

/** How the tasks of a pipeline ended, run by run; different outcomes of one run in one text. */
export const outcomes = (dataDir: string, pipeline: string) =>
  Effect.map(
    query(
      dataDir,
      `select run_id, string_agg(distinct outcome, ' ' order by outcome) as outcome from ops.tasks
       where pipeline = '${pipeline}' group by run_id order by max(finished_at)`,
    ),
    (rows) => rows.map((row) => row["outcome"]),
  )
