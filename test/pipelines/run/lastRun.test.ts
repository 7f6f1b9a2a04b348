// The record of the newest run: written even on a full disk, and none where it is damaged.
import { readFileSync, symlinkSync, writeFileSync } from "node:fs"
import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { lastRunFile, readLastRun } from "../../../src/pipelines/run/lastRun.ts"
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
