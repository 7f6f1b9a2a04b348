// What a commit relies on is flushed before it: a power cut then leaves no row without its response, nor a log without the
// file that it belongs to. `make proof` tries every such moment; this notices within a second that a flush is gone.
import { mkdirSync, readdirSync, writeFileSync } from "node:fs"
import { basename, join } from "node:path"
import { DuckDBConnection } from "@duckdb/node-api"
import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { folderStore } from "../../../src/archive/folderStore.ts"
import { readWholeFrames } from "../../../src/archive/readFrames.ts"
import { Commits } from "../../../src/archive/segments.ts"
import { FlushedDisk } from "../../support/disk/flushedDisk.ts"
import { simulated } from "../../support/simulated.ts"
import { temporaryFolder } from "../../support/temporaryFolder.ts"
import { runOnce } from "../../support/warehouseRun.ts"

interface Committed {
  readonly responses: ReadonlyArray<Readonly<Record<string, unknown>>>
}

type Run = (
  this: DuckDBConnection,
  ...args: Parameters<DuckDBConnection["run"]>
) => ReturnType<DuckDBConnection["run"]>

/** Calls `before` at each commit, and `after` with the responses that are then in the warehouse. */
const atCommits = <A>(before: () => A, after: (found: A, committed: Committed) => void) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const prototype = DuckDBConnection.prototype as { run: Run }
      const { run } = prototype
      prototype.run = async function watched(...args) {
        if (args[0] !== "COMMIT") return run.apply(this, args)
        const found = before()
        const result = await run.apply(this, args)
        const rows = await this.runAndReadAll("SELECT response_id, is_landed FROM raw.responses")
        after(found, { responses: rows.getRowObjectsJson() })
        return result
      }
      return run
    }),
    (run) =>
      Effect.sync(() => {
        DuckDBConnection.prototype.run = run
      }),
  )

it.live(
  "no commit names a response whose segment, or the marker of its commit, could be lost",
  () =>
    Effect.gen(function* () {
      const simulator = yield* simulated({ now: "2026-06-01T12:00:00Z", days: 3, vaults: 2 })
      const folder = yield* temporaryFolder
      const dataDir = join(folder, "data")
      const left = yield* temporaryFolder
      const disk = yield* FlushedDisk.watched
      const commits: Array<Committed & { readonly archive: string }> = []
      yield* atCommits(
        () => {
          const archive = join(left, String(commits.length))
          mkdirSync(archive)
          for (const file of readdirSync(folder, { recursive: true, encoding: "utf8" })) {
            if (!file.endsWith(".zst")) continue
            const content = disk.left(folder, file)
            if (content !== undefined) writeFileSync(join(archive, basename(file)), content)
          }
          return archive
        },
        (archive, committed) => commits.push({ archive, ...committed }),
      )
      // The second run begins a segment in a folder that is there.
      for (const pipeline of ["ratio_history", "fees"]) {
        const { summary } = yield* runOnce(simulator.url, dataDir, { pipelines: [pipeline] })
        expect(summary.outcome).toBe("complete")
      }
      for (const { archive, responses } of commits) {
        const ids = new Set<unknown>()
        const markers = new Commits()
        const store = folderStore(archive)
        yield* Effect.promise(async () => {
          for (const { file } of await store.segments()) {
            for await (const frame of readWholeFrames(store, file)) {
              for (const { responseId } of frame.responses) ids.add(responseId)
              markers.add(frame)
            }
          }
        })
        expect(responses.filter(({ response_id: id }) => !ids.has(id))).toEqual([])
        const unmarked = responses.filter(
          ({ response_id: id, is_landed: isLanded }) =>
            markers.markerOf(String(id))?.landed.includes(String(id)) !== isLanded,
        )
        expect(unmarked).toEqual([])
      }
      const [most, last] = [commits.length, commits.at(-1)?.responses.length ?? 0]
      expect(most).toBeGreaterThan(4)
      expect(last).toBeGreaterThan(4)
    }),
)

it.live("a new warehouse is on the disk before its first commit", () =>
  Effect.gen(function* () {
    const simulator = yield* simulated({ now: "2026-06-01T12:00:00Z", days: 1, vaults: 1 })
    const folder = yield* temporaryFolder
    const disk = yield* FlushedDisk.watched
    const sizes: Array<number | undefined> = []
    yield* atCommits(
      () => disk.left(folder, "data/vaulthouse.duckdb")?.length,
      (size) => sizes.push(size),
    )
    yield* runOnce(simulator.url, join(folder, "data"), { pipelines: ["vaults"] })
    // The copied template, whole: with its tables and marts, it takes several of DuckDB's blocks.
    expect(sizes[0]).toBeGreaterThan(1_000_000)
  }),
)
