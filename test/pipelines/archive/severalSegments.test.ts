// Runs of several processes, each with a segment of its own: as one run's in every command; and one that was killed.
import {
  appendFileSync,
  readFileSync,
  renameSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from "node:fs"
import { join } from "node:path"
import { zstdCompressSync } from "node:zlib"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { newRunId } from "../../../src/domain/run/runId.ts"
import { commitMarkerLine, runEndLine } from "../../../src/archive/lines.ts"
import { folderStore } from "../../../src/archive/folderStore.ts"
import { readWholeFrames } from "../../../src/archive/readFrames.ts"
import { segmentOfRun, unendedSegments } from "../../../src/archive/segments.ts"
import { defaultTimeFields } from "../../../src/domain/wire/timeFields.ts"
import { prune } from "../../../src/pipelines/archive/prune.ts"
import { replayQuarantine } from "../../../src/pipelines/archive/replayQuarantine.ts"
import type { SyncOptions } from "../../../src/pipelines/run/selection.ts"
import { extraction, wholeRun } from "../../../src/pipelines/run/run.ts"
import { sync } from "../../../src/pipelines/run/sync.ts"
import {
  content,
  expectReplays,
  loseTheWarehouse,
  replayed,
  replayOptions,
  segments,
} from "../../support/replays.ts"
import { sharedWarehouse } from "../../support/sharedWarehouse.ts"
import { asAdmin, simulated } from "../../support/simulated.ts"
import { temporaryFolder } from "../../support/temporaryFolder.ts"
import { change, query, runOnce, runOptions } from "../../support/warehouseRun.ts"

/** Writes what a run read for one pipeline as worker `a`, and everything else as `b`. */
const split = async (directory: string, file: string, ofA = "vaults"): Promise<void> => {
  const runId = file.replace(".ndjson.zst", "")
  const parts = { a: [] as Array<Buffer>, b: [] as Array<Buffer> }
  for await (const { responses, markers } of readWholeFrames(folderStore(directory), file)) {
    for (const { pipeline, bytes } of responses) {
      parts[pipeline === ofA ? "a" : "b"].push(Buffer.concat([bytes, Buffer.from("\n")]))
    }
    for (const marker of markers) {
      parts[marker.pipeline === ofA ? "a" : "b"].push(commitMarkerLine(marker))
    }
  }
  rmSync(join(directory, file))
  for (const [worker, lines] of Object.entries(parts)) {
    const end = runEndLine({ runId, uncommitted: [] })
    const frames = [...lines, end].map((line) => zstdCompressSync(line))
    writeFileSync(join(directory, segmentOfRun(runId, worker)), Buffer.concat(frames))
  }
}

const moveLastFrame = async (directory: string, from: string, to: string): Promise<void> => {
  let start = 0
  for await (const { place } of readWholeFrames(folderStore(directory), from)) start = place.offset
  appendFileSync(join(directory, to), readFileSync(join(directory, from)).subarray(start))
  truncateSync(join(directory, from), start)
}

/** Two runs, the service having restated its history in between. */
const lived = sharedWarehouse(
  Effect.fnUntraced(function* (dataDir) {
    const simulator = yield* simulated({
      vaults: 2,
      days: 10,
      now: "2026-06-01T00:00:00Z",
      start: "2026-05-22T00:00:00Z",
    })
    const run = runOnce(simulator.url, dataDir, { pipelines: ["vaults", "ratio_history"] })
    yield* run
    simulator.patch({ now: "2026-06-01T06:00:00Z", revision: 1 })
    yield* run
    const before = yield* content(dataDir)
    yield* Effect.promise(async () => {
      for (const file of segments(dataDir)) await split(join(dataDir, "raw"), file)
    })
    loseTheWarehouse(dataDir)
    yield* replayed(dataDir)
    expect(yield* content(dataDir)).toEqual(before)
  }),
)

describe("segments of several processes", () => {
  it.live("keep their order and what they say when they are pruned", () =>
    Effect.gen(function* () {
      const dataDir = yield* lived
      const workers = () => segments(dataDir).map((file) => file.split(".")[1])
      expect(workers()).toEqual(["a", "b", "a", "b"])
      const pruned = yield* prune({ dataDir, olderThanDays: 0, dryRun: false })
      expect(pruned.dropped).toBeGreaterThan(0)
      const names = segments(dataDir).map((file) => file.split(".").slice(0, 2).join("."))
      expect(names).toEqual(names.toSorted())
      yield* expectReplays(dataDir)
    }),
  )

  it.live("are ended one by one after a kill, each without the commits that never happened", () =>
    Effect.gen(function* () {
      const dataDir = yield* lived
      const directory = join(dataDir, "raw")
      const killed = segments(dataDir).at(-1) ?? ""
      const runId = killed.split(".")[0] ?? ""
      // The end of `b` is not there, nor the commits of one vault that it had marked.
      const frames: Array<Buffer> = []
      yield* Effect.promise(async () => {
        for await (const { responses, markers } of readWholeFrames(
          folderStore(directory),
          killed,
        )) {
          frames.push(
            ...responses.map(({ bytes }) =>
              zstdCompressSync(Buffer.concat([bytes, Buffer.from("\n")])),
            ),
            ...markers.map((marker) => zstdCompressSync(commitMarkerLine(marker))),
          )
        }
      })
      writeFileSync(join(directory, killed), Buffer.concat(frames))
      const ofVault = `pipeline = 'ratio_history' and run_id = '${runId}'
        and entity = (select min(entity) from raw.responses where pipeline = 'ratio_history')`
      const lost = `select response_id from raw.responses where ${ofVault}`
      yield* change(
        dataDir,
        `delete from core.ratio_history where _response_id in (${lost})`,
        `delete from raw.responses where ${ofVault}`,
        `insert into ops.runs (run_id, command, base_url, vaulthouse_version, started_at)
         values ('${runId}', 'sync', '-', 'test', now()::timestamp)`,
      )
      const indexed = query(dataDir, "select response_id from raw.responses order by 1")
      const kept = yield* indexed
      // Known by its last bytes, though many small frames and half of one came before them.
      const unended = Effect.promise(() => unendedSegments(folderStore(directory), runId))
      expect(yield* unended).toEqual([killed])
      appendFileSync(join(directory, killed), frames[0]?.subarray(0, 20) ?? "")
      expect(yield* unended).toEqual([killed])
      yield* replayed(dataDir)
      expect(yield* unended).toEqual([])
      const ends = yield* Effect.promise(async () => {
        const found: Array<number> = []
        for (const file of segments(dataDir).slice(-2)) {
          for await (const frame of readWholeFrames(folderStore(directory), file)) {
            found.push(...frame.ends.map(({ uncommitted }) => uncommitted.length))
          }
        }
        return found
      })
      expect(ends[0]).toBe(0)
      expect(ends[1]).toBeGreaterThan(0)
      expect(ends).toHaveLength(2)
      const rows = yield* content(dataDir)
      loseTheWarehouse(dataDir)
      const alone = yield* replayed(dataDir)
      expect(alone.unended).toEqual([])
      expect(yield* indexed).toEqual(kept)
      expect(yield* content(dataDir)).toEqual(rows)
    }),
  )

  it.live("without an end are named one by one", () =>
    Effect.gen(function* () {
      const dataDir = yield* lived
      const [first = "", second = ""] = segments(dataDir)
      const directory = join(dataDir, "raw")
      const runId = first.split(".")[0] ?? ""
      yield* Effect.promise(async () => {
        const frames: Array<Buffer> = []
        for await (const { responses } of readWholeFrames(folderStore(directory), second)) {
          frames.push(...responses.map(({ bytes }) => zstdCompressSync(bytes)))
        }
        writeFileSync(join(directory, second), Buffer.concat(frames))
      })
      renameSync(join(dataDir, "vaulthouse.duckdb"), join(dataDir, "lost"))
      const { unended } = yield* replayed(dataDir)
      expect(unended).toMatchObject([{ runId, file: second }])
    }),
  )

  it.live.each([
    { where: "in its own segment", isMoved: false },
    { where: "in the last one, as by version 1.0.0", isMoved: true },
  ])("keep for good what was loaded from quarantine, with a marker $where", ({ isMoved }) =>
    Effect.gen(function* () {
      const simulator = yield* simulated({
        vaults: 1,
        days: 5,
        now: "2026-06-01T00:00:00Z",
        timeField: "measured_on",
      })
      const dataDir = yield* temporaryFolder
      const syncOnce = runOnce(simulator.url, dataDir, { pipelines: ["ratio_history", "fees"] })
      yield* syncOnce
      yield* syncOnce
      yield* Effect.promise(async () => {
        for (const file of segments(dataDir)) {
          await split(join(dataDir, "raw"), file, "ratio_history")
        }
      })
      const timeFields = ["measured_on", ...defaultTimeFields]
      const loaded = yield* replayQuarantine(replayOptions(dataDir, timeFields))
      expect(loaded).toMatchObject({ closed: 1, stillBroken: [] })
      if (isMoved) {
        const [from = "", to = ""] = segments(dataDir).slice(-2)
        yield* Effect.promise(() => moveLastFrame(join(dataDir, "raw"), from, to))
      }
      const before = yield* content(dataDir)
      const pruned = yield* prune({ dataDir, olderThanDays: 0, dryRun: false })
      expect(pruned.dropped).toBeGreaterThan(0)
      loseTheWarehouse(dataDir)
      yield* replayed(dataDir, timeFields)
      expect(yield* content(dataDir)).toEqual(before)
    }),
  )

  it.live("with two commits of one task in one run make the rows of both", () =>
    Effect.gen(function* () {
      const dataDir = yield* temporaryFolder
      const simulator = yield* simulated({ vaults: 2, days: 5, subaccounts: 4 })
      const settings = { api: asAdmin, pipelines: ["roles", "subaccounts"] }
      // As by a worker that died after its commit, and by the next one.
      const options = runOptions(simulator.url, dataDir, settings)
      const runId = yield* newRunId
      const twice = Effect.fnUntraced(function* (of: SyncOptions) {
        yield* sync(of)
        simulator.patch({ subaccounts: 3 })
        return yield* sync(of)
      })
      const extract = extraction({ ...options, onRetry: () => undefined }, runId)
      yield* wholeRun({ options, runId, read: twice }, extract)
      const retired = "select 1 from core.subaccounts where valid_to is not null"
      expect(yield* query(dataDir, retired)).not.toEqual([])
      yield* expectReplays(dataDir)
    }),
  )
})
