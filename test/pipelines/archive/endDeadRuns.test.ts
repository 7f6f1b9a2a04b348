// Which runs' segments the next run ends.
import { appendFileSync, mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { archiveFolder, archiveOf } from "../../../src/pipelines/publication/archiveOf.ts"
import { frameOf } from "../../../src/archive/frames.ts"
import { commitMarkerLine } from "../../../src/archive/lines.ts"
import { readWholeFrames } from "../../../src/archive/readFrames.ts"
import { segmentOfRun, unendedSegments } from "../../../src/archive/segments.ts"
import { Warehouse } from "../../../src/load/Warehouse.ts"
import { coreTables } from "../../../src/pipelines/pipelines.ts"
import { endDeadRuns } from "../../../src/pipelines/run/endDeadRuns.ts"
import { temporaryFolder } from "../../support/temporaryFolder.ts"

const marker = {
  pipeline: "vaults",
  entity: "-",
  window: "w",
  outcome: "landed",
  landed: ["response"],
  notLanded: [],
} as const

describe("the runs that a new one ends", () => {
  // In a lake, where several run at the same time; recorded here as their processes would have.
  it.live("are those that have ended since the last one began, and those killed within a day", () =>
    Effect.gen(function* () {
      const dataDir = yield* temporaryFolder
      const raw = archiveFolder(dataDir)
      mkdirSync(raw)
      const runs = [
        ["long-ago", "2026-05-20 10:00", "failed", "2026-05-20 10:05"],
        ["asleep", "2026-06-01 03:00", "killed", "2026-06-01 03:05"],
        ["stopped", "2026-06-01 10:00", "stopped", "2026-06-01 10:10"],
        ["newest", "2026-06-01 10:05", "complete", "2026-06-01 10:08"],
      ] as const
      for (const [runId] of runs) {
        const frame = yield* Effect.promise(() =>
          frameOf([commitMarkerLine({ ...marker, runId })], 1),
        )
        writeFileSync(join(raw, segmentOfRun(runId)), frame)
      }
      const unended = () =>
        Effect.map(
          Effect.forEach(runs, ([runId]) =>
            Effect.promise(() => unendedSegments(archiveOf({ dataDir }), runId)),
          ),
          (files) => files.flat(),
        )
      yield* Effect.gen(function* () {
        const { execute } = yield* Warehouse
        yield* execute(
          runs.map(
            ([runId, startedAt, outcome, finishedAt]) =>
              `INSERT INTO ops.runs (run_id, command, started_at, vaulthouse_version, outcome, finished_at)
               VALUES ('${runId}', 'sync', '${startedAt}:00+00', 'test', '${outcome}', '${finishedAt}:00+00')`,
          ),
        )
        expect(yield* unended()).toHaveLength(4)
        // One that was recorded as killed and that its planner has continued.
        const isRunning = (runId: string) => Effect.succeed(runId === "asleep")
        const warehouse = yield* Warehouse
        yield* endDeadRuns({ dataDir }).pipe(
          Effect.provideService(Warehouse, { ...warehouse, isRunning }),
        )
        expect(yield* unended()).toEqual([segmentOfRun("long-ago"), segmentOfRun("asleep")])
        yield* endDeadRuns({ dataDir })
        expect(yield* unended()).toEqual([segmentOfRun("long-ago")])
      }).pipe(Effect.provide(Warehouse.layer({ dataDir, runId: "next", tables: coreTables })))
    }),
  )

  it.live.each([
    ["one that failed before a swap", ["sync", "swap"]],
    ["one that failed between swaps", ["sync", "swap", "sync", "swap"]],
    ["a swap, where there was nothing else", ["swap", "swap"]],
  ] satisfies ReadonlyArray<readonly [string, ReadonlyArray<string>]>)(
    "are %s, which ends none",
    ([, commands]) =>
      Effect.gen(function* () {
        const from = commands.lastIndexOf("sync")
        const dataDir = yield* temporaryFolder
        const store = archiveOf({ dataDir })
        mkdirSync(archiveFolder(dataDir))
        const runIds = commands.map((command, at) => `${command}-${at}`)
        for (const runId of runIds) {
          const frame = yield* Effect.promise(() =>
            frameOf([commitMarkerLine({ ...marker, runId })], 1),
          )
          writeFileSync(join(archiveFolder(dataDir), segmentOfRun(runId)), frame)
        }
        yield* Effect.gen(function* () {
          const { execute } = yield* Warehouse
          yield* execute(
            commands.map(
              (command, at) =>
                `INSERT INTO ops.runs (run_id, command, started_at, vaulthouse_version, outcome, finished_at)
               VALUES ('${command}-${at}', '${command}', '2026-06-01 10:0${at}:00+00', 'test', 'failed', '2026-06-01 10:0${at}:30+00')`,
            ),
          )
          yield* endDeadRuns({ dataDir })
          for (const runId of runIds.slice(Math.max(0, from))) {
            expect(yield* Effect.promise(() => unendedSegments(store, runId))).toEqual([])
          }
        }).pipe(Effect.provide(Warehouse.layer({ dataDir, runId: "next", tables: coreTables })))
      }),
  )

  it.live("are none that a worker has joined meanwhile, and of none a commit is denied", () =>
    Effect.gen(function* () {
      const dataDir = yield* temporaryFolder
      const raw = archiveFolder(dataDir)
      mkdirSync(raw)
      const frame = (runId: string, id: string) =>
        Effect.promise(() => frameOf([commitMarkerLine({ ...marker, runId, landed: [id] })], 1))
      for (const runId of ["joined", "left"]) {
        writeFileSync(join(raw, segmentOfRun(runId)), yield* frame(runId, "early"))
      }
      const late = yield* frame("left", "late")
      yield* Effect.gen(function* () {
        const warehouse = yield* Warehouse
        yield* warehouse.execute(
          ["joined", "left"].map(
            (runId) => `INSERT INTO ops.runs (run_id, command, started_at, vaulthouse_version)
              VALUES ('${runId}', 'sync', '2026-06-01 10:00:00+00', 'test')`,
          ),
        )
        let hasJoined = false
        yield* endDeadRuns({ dataDir }).pipe(
          Effect.provideService(Warehouse, {
            ...warehouse,
            isRunning: (runId) => Effect.sync(() => runId === "joined" && hasJoined),
            execute: (...all) =>
              Effect.tap(warehouse.execute(...all), () => Effect.sync(() => (hasJoined = true))),
            // One that hangs resumes, and marks a commit that then happens.
            rows: (sql, ...more) =>
              Effect.tap(warehouse.rows(sql, ...more), () =>
                Effect.sync(() => {
                  if (sql.includes("raw.responses")) {
                    appendFileSync(join(raw, segmentOfRun("left")), late)
                  }
                }),
              ),
          }),
        )
        const ends = yield* Effect.promise(async () => {
          const found: Array<unknown> = []
          for (const runId of ["joined", "left"]) {
            for await (const each of readWholeFrames(archiveOf({ dataDir }), segmentOfRun(runId))) {
              found.push(...each.ends)
            }
          }
          return found
        })
        expect(ends).toEqual([{ runId: "left", uncommitted: ["early"] }])
      }).pipe(Effect.provide(Warehouse.layer({ dataDir, runId: "next", tables: coreTables })))
    }),
  )
})
