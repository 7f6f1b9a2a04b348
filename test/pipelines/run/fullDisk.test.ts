// A full disk is named in the record of the run, which is written even then.
import { readFileSync, symlinkSync } from "node:fs"
import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { databaseError } from "../../../src/load/errors.ts"
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

it("an error of a full disk says so first, however long DuckDB's is", () => {
  const cause = new Error(
    'IO Error: Checkpoint failed for database "vaulthouse". The database has been invalidated. Original error: Could not write file "/data/vaulthouse.duckdb": No space left on device',
  )
  expect(databaseError("Recording the run's end", cause).message).toBe(
    "Recording the run's end: the disk is full (/data/vaulthouse.duckdb). Free space there, then run again: what was not committed is read again.",
  )
})
