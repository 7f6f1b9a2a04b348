// Segments are read a part at a time: whatever its size, a frame is found where it is, and a damaged one costs no other.
import { randomBytes } from "node:crypto"
import { openSync, closeSync, ftruncateSync, writeFileSync, writeSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { type ArchiveStore, PART_BYTES } from "../../src/archive/ArchiveStore.ts"
import { folderStore } from "../../src/archive/folderStore.ts"
import { commitMarkerLine } from "../../src/archive/lines.ts"
import { frameOf } from "../../src/archive/frames.ts"
import { readFrames } from "../../src/archive/readFrames.ts"
import { temporaryFolder } from "../support/temporaryFolder.ts"

const marker = (runId: string) =>
  commitMarkerLine({
    runId,
    pipeline: "fees",
    entity: "-",
    window: "all",
    outcome: "landed",
    landed: [],
    notLanded: [],
  })

const frame = (...runIds: ReadonlyArray<string>) =>
  Effect.promise(() => frameOf(runIds.map(marker), 1))

const inParts = (bytes: Buffer, size: number): ArchiveStore => ({
  ...folderStore("/nowhere"),
  parts: async function* () {
    for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
  },
})

const read = (store: ArchiveStore, known?: ReadonlySet<number>) =>
  Effect.promise(async () => {
    const found: Array<unknown> = []
    for await (const { place, unreadable, markers } of readFrames(store, "file", known)) {
      const what = unreadable === undefined ? markers.map(({ runId }) => runId) : "unreadable"
      found.push([place.offset, place.length, what])
    }
    return found
  })

it.effect("are the same in whatever parts they are read, whole, cut short or damaged", () =>
  Effect.gen(function* () {
    const large = randomBytes(3000).toString("hex")
    const frames = [
      yield* frame("a"),
      yield* frame("b", "c"),
      yield* frame(large),
      yield* frame("d"),
    ]
    const whole = Buffer.concat(frames)
    const offsets = frames.map((_, at) => Buffer.concat(frames.slice(0, at)).length)
    const [, second = 0, third = 0, last = 0] = offsets
    const damaged = (at: number, bytes = 8) => {
      const copy = Buffer.from(whole)
      copy.fill(255, at, at + bytes)
      return copy
    }
    const sizes = [1, 2, 3, 7, 100, 1000, whole.length, 2 * whole.length]
    for (const [bytes, known] of [
      [whole],
      [whole.subarray(0, -3)],
      [whole.subarray(0, last + 2)],
      [damaged(second)],
      [damaged(second + 6)],
      [damaged(third + 100, 20)],
      [damaged(third, 4), new Set(offsets)],
      [damaged(last)],
      [Buffer.alloc(0)],
    ] as ReadonlyArray<readonly [Buffer, ReadonlySet<number>?]>) {
      const expected = yield* read(inParts(bytes, whole.length), known)
      for (const size of sizes) {
        expect(yield* read(inParts(bytes, size), known), `${size}`).toEqual(expected)
      }
    }
    expect(yield* read(inParts(whole, 5))).toEqual(
      frames.map(({ length }, at) => [
        offsets[at],
        length,
        [["a"], ["b", "c"], [large], ["d"]][at],
      ]),
    )
    expect(yield* read(inParts(damaged(second), 5))).toEqual([
      [0, second, ["a"]],
      [second, third - second, "unreadable"],
      [third, last - third, [large]],
      [last, whole.length - last, ["d"]],
    ])
    // The beginnings that are known tell one from the other.
    const both = damaged(second)
    both.fill(255, third, third + 8)
    expect(yield* read(inParts(both, 5), new Set(offsets))).toEqual([
      [0, second, ["a"]],
      [second, third - second, "unreadable"],
      [third, last - third, "unreadable"],
      [last, whole.length - last, ["d"]],
    ])
    expect(yield* read(inParts(whole.subarray(0, -3), 5))).toHaveLength(3)
  }),
)

it.live("are found in a frame that is larger than a part", () =>
  Effect.gen(function* () {
    const folder = yield* temporaryFolder
    const large = randomBytes(2 * PART_BYTES).toString("base64")
    const frames = [yield* frame("a"), yield* frame(large), yield* frame("b")]
    writeFileSync(join(folder, "file"), Buffer.concat(frames))
    const found = yield* read(folderStore(folder))
    expect(found).toHaveLength(3)
    expect(found).toContainEqual([expect.any(Number), frames[1]?.length, [large]])
  }),
)

it.live("are read from a file of more than 2 GiB, which Node reads no file of at once", () =>
  Effect.gen(function* () {
    const folder = yield* temporaryFolder
    const [first, last] = [yield* frame("a"), yield* frame("b")]
    // Empty space, as a sparse file: what is there is no frame.
    const end = 2 ** 31 + 100
    const file = openSync(join(folder, "file"), "w")
    writeSync(file, first, 0, first.length, 0)
    ftruncateSync(file, end)
    writeSync(file, last, 0, last.length, end)
    closeSync(file)
    expect(yield* read(folderStore(folder))).toEqual([
      [0, first.length, ["a"]],
      [first.length, end - first.length, "unreadable"],
      [end, last.length, ["b"]],
    ])
  }),
)
