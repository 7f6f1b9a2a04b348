// What pruning the archive drops, by age and by what refers to it, and what it keeps.
import { readdirSync, statSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { folderStore } from "../../../src/archive/folderStore.ts"
import { readWholeFrames } from "../../../src/archive/readFrames.ts"
import { prune } from "../../../src/pipelines/archive/prune.ts"
import { verify } from "../../../src/pipelines/archive/verify.ts"
import { ahead } from "../../support/movableClock.ts"
import { content, loseTheWarehouse, replayed, segments } from "../../support/replays.ts"
import { sharedWarehouse } from "../../support/sharedWarehouse.ts"
import { simulated } from "../../support/simulated.ts"
import { query, runOnce } from "../../support/warehouseRun.ts"

const pipelines = ["ratio_history", "pnl_history", "allocation_history"]
const DAY_MILLIS = 86_400_000

/** A warehouse of three runs, between which the service restated its history; the last has a response in quarantine. */
const lived = sharedWarehouse(
  Effect.fnUntraced(function* (dataDir) {
    const simulator = yield* simulated({
      vaults: 2,
      days: 5,
      now: "2026-06-01T00:00:00Z",
      start: "2026-05-27T00:00:00Z",
    })
    const run = runOnce(simulator.url, dataDir, { pipelines })
    yield* run
    simulator.patch({ now: "2026-06-01T06:00:00Z", revision: 1 })
    yield* run
    simulator.patch({
      now: "2026-06-02T06:00:00Z",
      faults: [{ kind: "contract-break", match: "fields=ratio", count: 1 }],
    })
    yield* run
  }),
)

/** SHA-256 hashes of the bodies that the archive has. */
const archivedBodies = async (dataDir: string): Promise<ReadonlySet<string>> => {
  const found = new Set<string>()
  for (const file of segments(dataDir)) {
    for await (const { responses } of readWholeFrames(folderStore(join(dataDir, "raw")), file))
      for (const { sha256, body } of responses) if (body !== undefined) found.add(sha256)
  }
  return found
}

/** What is wrong with the archive; nothing is published. */
const damage = (dataDir: string) =>
  Effect.map(verify({ dataDir }), (findings) =>
    findings.filter(({ path }) => !path.startsWith("published/")),
  )

describe("prune", () => {
  it.live("drops only what no row refers to, and a replay still makes every row", () =>
    Effect.gen(function* () {
      const dataDir = yield* lived
      const before = yield* content(dataDir)
      const responses = Effect.map(
        query(dataDir, "select count(*) as n from raw.responses"),
        ([row]) => Number(row?.["n"]),
      )
      const all = yield* responses
      const planned = yield* prune({ dataDir, olderThanDays: 0, dryRun: true })
      expect(planned.dropped).toBeGreaterThan(0)
      expect(yield* responses).toBe(all)
      const bytes = (folder: string) =>
        readdirSync(folder).reduce((sum, file) => sum + statSync(join(folder, file)).size, 0)
      const size = bytes(join(dataDir, "raw"))
      const done = yield* prune({ dataDir, olderThanDays: 0, dryRun: false })
      expect(done.dropped).toBe(planned.dropped)
      expect(yield* responses).toBe(all - done.dropped)
      expect(bytes(join(dataDir, "raw"))).toBeLessThan(size)
      const again = yield* replayed(dataDir)
      expect(again.tables.filter(({ isSame }) => !isSame)).toEqual([])
      loseTheWarehouse(dataDir)
      yield* replayed(dataDir)
      expect(yield* content(dataDir)).toEqual(before)
    }),
  )

  it.live("drops nothing that is young", () =>
    Effect.gen(function* () {
      const dataDir = yield* lived
      const summary = yield* prune({ dataDir, olderThanDays: 1, dryRun: false })
      expect(summary).toMatchObject({ dropped: 0, segmentsRemoved: 0, segmentsRewritten: 0 })
    }),
  )

  it.live("drops by the age that a response has, to the day", () =>
    Effect.gen(function* () {
      const dataDir = yield* lived
      const dropped = (olderThanDays: number) =>
        ahead(
          10.5 * DAY_MILLIS,
          Effect.map(prune({ dataDir, olderThanDays, dryRun: true }), (summary) => summary.dropped),
        )
      expect(yield* dropped(11)).toBe(0)
      expect(yield* dropped(10)).toBeGreaterThan(0)
    }),
  )

  it.live("keeps what an open entry in quarantine refers to", () =>
    Effect.gen(function* () {
      const dataDir = yield* lived
      const quarantined = query(
        dataDir,
        `select response_id, body_sha256 from raw.responses
         where response_id in (select response_id from ops.quarantine)`,
      )
      const before = yield* quarantined
      expect(before.length).toBeGreaterThan(0)
      const { dropped } = yield* prune({ dataDir, olderThanDays: 0, dryRun: false })
      expect(dropped).toBeGreaterThan(0)
      expect(yield* quarantined).toEqual(before)
      expect(yield* damage(dataDir)).toEqual([])
      const bodies = yield* Effect.promise(() => archivedBodies(dataDir))
      expect(before.filter(({ body_sha256: sha256 }) => !bodies.has(String(sha256)))).toEqual([])
    }),
  )

  it.live("says what it did, and has nothing to do the second time", () =>
    Effect.gen(function* () {
      const dataDir = yield* lived
      const before = segments(dataDir).length
      const first = yield* prune({ dataDir, olderThanDays: 0, dryRun: false })
      expect(first.bytesAfter).toBeLessThan(first.bytesBefore)
      expect(segments(dataDir)).toHaveLength(before - first.segmentsRemoved)
      const again = yield* prune({ dataDir, olderThanDays: 0, dryRun: false })
      expect(again).toMatchObject({
        dropped: 0,
        kept: first.kept,
        segmentsRemoved: 0,
        segmentsRewritten: 0,
        bytesBefore: first.bytesAfter,
        bytesAfter: first.bytesAfter,
      })
    }),
  )
})
