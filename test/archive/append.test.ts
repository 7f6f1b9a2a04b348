// Appending to a segment whose last frame was cut short, in both stores: what was cut short is gone, and what is appended is
// the end of the segment.
import { writeFile } from "node:fs/promises"
import { join } from "node:path"
import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type { ArchiveStore } from "../../src/archive/ArchiveStore.ts"
import { folderStore } from "../../src/archive/folderStore.ts"
import { frameOf } from "../../src/archive/frames.ts"
import { commitMarkerLine, runEndLine } from "../../src/archive/lines.ts"
import { objectArchive } from "../../src/archive/objectArchive.ts"
import { readWholeFrames } from "../../src/archive/readFrames.ts"
import { appendLines } from "../../src/archive/rewrite.ts"
import { unendedSegments } from "../../src/archive/segments.ts"
import { memoryStore } from "../support/servers/memoryStore.ts"
import { temporaryFolder } from "../support/temporaryFolder.ts"

const runId = "20260601T000000000Z-aaaaaa"
const file = `${runId}.ndjson.zst`

const frameWith = (id: string): Promise<Buffer> => {
  const task = { runId, pipeline: "fees", entity: "-", window: "all", outcome: "landed" } as const
  const landed = Array.from({ length: 40 }, (_, at) => `${id}-${(at * 7919) ** 5}`)
  return frameOf([commitMarkerLine({ ...task, landed, notLanded: [] })], 1)
}

/** What both stores contain: the segment as a file, and the same bytes as one object. */
const stores = Effect.fnUntraced(function* (bytes: Buffer) {
  const folder = yield* temporaryFolder
  yield* Effect.promise(() => writeFile(join(folder, file), bytes))
  const { objects, store } = yield* memoryStore
  objects.set(file, bytes)
  return {
    folder: () => folderStore(folder),
    bucket: () => objectArchive(store, folder),
  }
})

const linesIn = async (store: ArchiveStore) => {
  const found: Array<string> = []
  for await (const { markers, ends } of readWholeFrames(store, file)) {
    found.push(...markers.map(({ landed: [first = ""] }) => first))
    found.push(...ends.map(({ uncommitted }) => `end ${uncommitted.join()}`))
  }
  return found
}

for (const where of ["folder", "bucket"] as const) {
  it.live.each([
    ["a part that is shorter than what is appended", "one", 40],
    ["a part that is longer", "one", -10],
    ["nothing but a part of its first frame", "", -10],
    ["nothing cut short", "one", 0],
  ] as const)(`the ${where}: after %s`, ([, whole, cut]) =>
    Effect.gen(function* () {
      const before = whole === "" ? Buffer.alloc(0) : yield* Effect.promise(() => frameWith(whole))
      const torn = yield* Effect.promise(() => frameWith("torn"))
      const bytes = Buffer.concat([before, torn.subarray(0, cut)])
      const storeOf = (yield* stores(bytes))[where]
      yield* Effect.promise(async () => {
        // Read before, so that what is known of the segment must be forgotten.
        const store = storeOf()
        expect(await unendedSegments(store, runId)).toEqual([file])
        await appendLines(store, file, [runEndLine({ runId, uncommitted: ["other"] })])
        for (const reader of [store, storeOf()]) {
          expect(await unendedSegments(reader, runId)).toEqual([])
          const kept = whole === "" ? [] : [`${whole}-0`]
          expect(await linesIn(reader)).toEqual([...kept, "end other"])
          const size = (await reader.segments())[0]?.bytes
          expect(size).toBe(before.length + (await frameLength()))
        }
        await appendLines(store, file, [runEndLine({ runId, uncommitted: ["again"] })])
        expect((await linesIn(storeOf())).slice(-2)).toEqual(["end other", "end again"])
      })
    }),
  )
}

const frameLength = async () =>
  (await frameOf([runEndLine({ runId, uncommitted: ["other"] })], 9)).length
