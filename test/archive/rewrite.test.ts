// Segments that are written again: one that fails leaves nothing of the new segment.
import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type { ArchiveStore } from "../../src/archive/ArchiveStore.ts"
import { folderStore } from "../../src/archive/folderStore.ts"
import { FRAME_LINES, frameOf } from "../../src/archive/frames.ts"
import { runEndLine } from "../../src/archive/lines.ts"
import { rewriteSegments } from "../../src/archive/rewrite.ts"
import { temporaryFolder } from "../support/temporaryFolder.ts"

/** A disk that is full before the frame of that number. */
const fullBefore = (store: ArchiveStore, number: number): ArchiveStore => ({
  ...store,
  write: (file) => {
    const segment = store.write(file)
    let frames = 0
    return {
      ...segment,
      append: async (frame) => {
        frames += 1
        if (frames < number) return segment.append(frame)
        throw Object.assign(new Error("no space left"), { code: "ENOSPC" })
      },
    }
  },
})

it.live.each([1, 3])("nothing is left of a segment whose frame %i finds no space", (number) =>
  Effect.gen(function* () {
    const store = folderStore(yield* temporaryFolder)
    const ends = Array.from({ length: 3 * FRAME_LINES }, (_, at) =>
      runEndLine({ runId: `run-${at}`, uncommitted: [] }),
    )
    const files = ["20260601T000000000Z-aaaaaa.ndjson.zst"]
    yield* Effect.promise(async () => {
      const segment = store.write(files[0] ?? "")
      await segment.append(await frameOf(ends, 1))
      await segment.end()
      await segment.close()
    })
    const rewrite = (into: ArchiveStore) =>
      rewriteSegments({ store: into, files, target: "202606.1.ndjson.zst", isWanted: () => true })
    const stored = () => store.segments().then((segments) => segments.map(({ file }) => file))
    yield* Effect.promise(async () => {
      await expect(rewrite(fullBefore(store, number))).rejects.toThrow("no space left")
      expect(await stored()).toEqual(files)
      await rewrite(store)
      expect(await stored()).toEqual(["202606.1.ndjson.zst", ...files])
    })
  }),
)
