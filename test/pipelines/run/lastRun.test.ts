// The record of the newest run: written even on a full disk, with the one before it while it is in progress, and none where it is
// damaged.
import { readFileSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { readProblems } from "../../../src/pipelines/readers/problems/problems.ts"
import { lastRunFile, readLastRun } from "../../../src/pipelines/run/lastRun.ts"
import { replacing } from "../../support/disk/replacing.ts"
import { json, scriptedServer } from "../../support/servers/scriptedServer.ts"
import { temporaryFolder } from "../../support/temporaryFolder.ts"
import { runOnce } from "../../support/warehouseRun.ts"

it.live("a run on a full disk records its end in place of its start", () =>
  Effect.gen(function* () {
    let isDown = false
    const { url } = yield* scriptedServer((_, response) => json(response, [], isDown ? 418 : 200))
    const dataDir = yield* temporaryFolder
    const sync = runOnce(url, dataDir, { pipelines: ["vaults"] })
    yield* sync
    // Whatever is written next to the record meets a full disk.
    symlinkSync("/dev/full", `${lastRunFile(dataDir)}.tmp`)
    isDown = true
    const { summary } = yield* sync
    expect(yield* readLastRun(dataDir)).toMatchObject({
      run_id: summary.runId,
      state: "ended",
      outcome: "failed",
    })
    isDown = false
    yield* sync
    // Shorter than the one before it.
    expect(readFileSync(lastRunFile(dataDir), "utf8")).toMatch(/"outcome":"complete".*\}\n$/)
    expect(yield* readLastRun(dataDir)).toMatchObject({ outcome: "complete" })
  }),
)

const ended = {
  run_id: "r",
  command: "sync",
  pid: 1,
  host: "elsewhere",
  started_at: "2026-01-01T00:00:00.000Z",
  finished_at: "2026-01-01T00:01:00.000Z",
  outcome: "complete",
  error: null,
  requests: 1,
  rows_inserted: 1,
  rows_revised: 0,
  seconds: 60,
  published: true,
  key_rejected: false,
  failed_checks: [],
}

it.live("while a run is in progress, what the one before it found still needs attention", () =>
  Effect.gen(function* () {
    const dataDir = yield* temporaryFolder
    let status = 418
    let during: Promise<ReadonlyArray<string>> = Promise.resolve([])
    const { url } = yield* scriptedServer((_, response) => {
      const found = Effect.map(readProblems(dataDir), (all) => all.map(({ text }) => text))
      during = Effect.runPromise(found)
      void during.then(() => json(response, [], status))
    })
    const seen = Effect.promise(() => during)
    const sync = runOnce(url, dataDir, { pipelines: ["vaults"] })
    yield* sync
    expect(yield* seen).toEqual([])
    yield* sync
    const [failed] = yield* readProblems(dataDir)
    expect(failed?.text).toMatch(/^The last run failed: .*418/)
    expect(yield* seen).toEqual([failed?.text])
    // One that was killed.
    const killed = { ...ended, finished_at: null, outcome: null }
    writeFileSync(lastRunFile(dataDir), JSON.stringify(killed))
    status = 200
    yield* sync
    expect((yield* seen)[0]).toMatch(/^The last run did not end: /)
    expect(yield* readProblems(dataDir)).toEqual([])
    yield* sync
    expect(yield* seen).toEqual([])
    expect(yield* readLastRun(dataDir)).toMatchObject({ previous: null })
  }),
)

it.effect("a record that is damaged is none, wherever it is damaged", () =>
  Effect.gen(function* () {
    const dataDir = yield* temporaryFolder
    const found = (record: object | string) => {
      const text = typeof record === "string" ? record : JSON.stringify(record)
      writeFileSync(lastRunFile(dataDir), text)
      return readLastRun(dataDir)
    }
    expect(yield* found(ended)).toMatchObject({ ...ended, state: "ended" })
    // Its process is not the one that has the lock.
    expect(yield* found({ ...ended, finished_at: null })).toMatchObject({ state: "died" })
    expect(yield* found({ ...ended, previous: { run_id: 1 } })).toMatchObject({ previous: null })
    const damages = [
      "null",
      JSON.stringify(ended).slice(0, -1),
      { ...ended, run_id: undefined },
      { ...ended, host: 1 },
      { ...ended, started_at: "once" },
      { ...ended, finished_at: "soon" },
      { ...ended, outcome: 1 },
      { ...ended, rows_inserted: "1" },
      { ...ended, failed_checks: {} },
    ]
    for (const damaged of damages) expect(yield* found(damaged), String(damaged)).toBeUndefined()
  }),
)

it.live("a run that ends while its record is read has not died", () =>
  Effect.gen(function* () {
    const dataDir = yield* temporaryFolder
    const record = (finished_at: string | null) =>
      writeFileSync(lastRunFile(dataDir), JSON.stringify({ ...ended, finished_at }))
    record(null)
    yield* replacing("readFileSync", (read) => {
      const reading = (file: string, ...more: [never]): unknown => {
        // Whoever asks for the lock's holder has read the record; by then it has neither.
        if (file === join(dataDir, "writer.json")) record(ended.finished_at)
        return read(file, ...more)
      }
      return reading as typeof read
    })
    expect(yield* readLastRun(dataDir)).toMatchObject({ state: "ended", outcome: "complete" })
  }).pipe(Effect.scoped),
)
