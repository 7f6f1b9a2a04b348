// Whole runs against a service, and what they left in the warehouse.
import { join } from "node:path"
import { DuckDBInstance } from "@duckdb/node-api"
import * as Effect from "effect/Effect"
import { defaultWire } from "../../src/extract/request.ts"
import type { ProgressEvent } from "../../src/pipelines/run/progress.ts"
import { defaultRunSettings } from "../../src/pipelines/runSettings.ts"
import { run, type RunOptions } from "../../src/pipelines/run/run.ts"

export interface Overrides extends Partial<Omit<RunOptions, "api" | "settings">> {
  readonly api?: Partial<RunOptions["api"]>
  readonly settings?: Partial<RunOptions["settings"]>
}

/** One run with the defaults of the command, and everything it told on the way. */
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
      ...api,
    },
    settings: { ...defaultRunSettings, ...settings },
  })
  return { summary, events }
})

export type Answer = ReadonlyArray<Readonly<Record<string, unknown>>>

/** Asks the writer's file of a finished run. */
export const query = (dataDir: string, sql: string): Effect.Effect<Answer> =>
  Effect.promise(async () => {
    const instance = await DuckDBInstance.create(join(dataDir, "vaulthouse.duckdb"), {
      access_mode: "READ_ONLY",
    })
    try {
      const connection = await instance.connect()
      const result = await connection.runAndReadAll(sql)
      return result.getRowObjectsJson()
    } finally {
      instance.closeSync()
    }
  })

/** Changes the writer's file behind vaulthouse's back. */
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
