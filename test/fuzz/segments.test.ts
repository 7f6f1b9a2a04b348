// Structural damage of the archive's segments, and changes of a manifest: their own readers end, and give only what was
// written.
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { folderStore } from "../../src/archive/folderStore.ts"
import { frameOf } from "../../src/archive/frames.ts"
import { responseLine, sha256Of } from "../../src/archive/lines.ts"
import { readFrames } from "../../src/archive/readFrames.ts"
import { ArchiveReader, placesIn, SEGMENT_SUFFIX } from "../../src/archive/segments.ts"
import { LoadError } from "../../src/load/errors.ts"
import { manifestFile, readManifest } from "../../src/load/published/parquet/manifest.ts"
import { dailyRandomness } from "../support/randomness.ts"
import { temporaryFolder } from "../support/temporaryFolder.ts"
import { HANG_SECONDS } from "../support/until.ts"
import { mutated } from "./mutations.ts"

const TIMES = Math.ceil(Number(process.env["FUZZ"] ?? 500) / 10)

const SEGMENTS = ["one", "other"].map((name) => `20260601-${name}${SEGMENT_SUFFIX}`)
const FRAMES = 4

const lineOf = (id: string, body: string, writtenAs = body): Buffer =>
  responseLine(
    {
      responseId: id,
      runId: "run",
      pipeline: "fees",
      entity: "-",
      endpoint: "fees",
      method: "GET",
      url: "https://api.example.com/fees",
      requestBody: null,
      inputs: "{}",
      subject: "null",
      status: 200,
      receivedAt: 1,
      sha256: sha256Of(Buffer.from(body)),
    },
    Buffer.from(writtenAs),
    true,
  )

const bodyOf = (id: string): string => JSON.stringify({ id, value: "1".repeat(id.length * 10) })

const frame = (id: string, writtenAs?: string): Promise<Buffer> =>
  frameOf([lineOf(id, bodyOf(id), writtenAs), lineOf(`${id}b`, bodyOf(`${id}b`))], 1)

describe("segments whose frames are not where they were", () => {
  it.live(
    `give the bodies that were written, and no other (${TIMES})`,
    () =>
      Effect.gen(function* () {
        const random = dailyRandomness("damaged segments")
        const choose = (below: number): number => Math.floor(random() * below)
        const folder = yield* temporaryFolder
        const ids = SEGMENTS.map((_, segment) =>
          Array.from({ length: FRAMES }, (__, at) => `${segment}-${at}`),
        )
        const written = new Map(
          ids
            .flat()
            .flatMap((id) =>
              [id, `${id}b`].map((each) => [sha256Of(Buffer.from(bodyOf(each))), bodyOf(each)]),
            ),
        )
        const whole = yield* Effect.promise(() =>
          Promise.all(ids.map((each) => Promise.all(each.map((id) => frame(id))))),
        )
        let read = 0
        let refused = 0
        for (let time = 0; time < TIMES; time += 1) {
          yield* Effect.promise(async () => {
            const segments = whole.map((frames) => [...frames])
            const [own, at] = [choose(SEGMENTS.length), choose(FRAMES)]
            const frames = segments[own]!
            const others = segments[1 - own]!
            const id = ids[own]![at]!
            const ways: ReadonlyArray<() => void> = [
              () => void frames.splice(at, 0, frames[at]!),
              () => void frames.splice(at, 1),
              () => void ([frames[at], others[at]] = [others[at]!, frames[at]!]),
              () => void frames.push(frames.shift()!),
              // A part of a frame before a whole one.
              () => void frames.splice(at, 0, frames[at]!.subarray(0, choose(frames[at]!.length))),
            ]
            if (random() < 0.4)
              frames[at] = await frame(id, mutated(bodyOf(id), random).slice(0, 1000))
            ways[choose(ways.length)]!()
            const store = folderStore(folder)
            for (const [index, file] of SEGMENTS.entries())
              writeFileSync(join(folder, file), Buffer.concat(segments[index]!))
            const reader = new ArchiveReader(store)
            for (const file of SEGMENTS) {
              for (const { sha256, place } of await placesIn(store, file)) {
                expect((await reader.body(place, sha256)).toString()).toBe(written.get(sha256))
                read += 1
              }
              for await (const { place, responses } of readFrames(store, file)) {
                for (const { sha256, body } of responses) {
                  if (body?.toString() === written.get(sha256)) continue
                  await expect(reader.body(place, sha256)).rejects.toThrow(/is damaged: .*\.$/)
                  refused += 1
                }
              }
            }
          })
        }
        expect(read).toBeGreaterThan(TIMES * FRAMES)
        expect(refused).toBeGreaterThan(0)
      }).pipe(Effect.scoped),
    TIMES * HANG_SECONDS * 1000,
  )
})

const manifest = JSON.stringify({
  version: 2,
  run_id: "run",
  published_at: "2026-06-01T12:00:00Z",
  files: [
    {
      path: "core/fees/2026-06.parquet",
      schema: "core",
      table: "fees",
      month: "2026-06",
      rows: 3,
      bytes: 900,
      min_at: null,
      max_at: null,
      sha256: "a".repeat(64),
      changed_at: 1,
      layout: "one",
    },
  ],
})

describe("a changed manifest", () => {
  it.live(`is read, or refused with what to do (${TIMES})`, () =>
    Effect.gen(function* () {
      const random = dailyRandomness("changed manifests")
      const dataDir = yield* temporaryFolder
      mkdirSync(join(dataDir, "parquet/current"), { recursive: true })
      const outcomes = new Set<string>()
      for (let time = 0; time < TIMES; time += 1) {
        const text = time === 0 ? manifest : mutated(manifest, random)
        writeFileSync(manifestFile(dataDir), text)
        outcomes.add(
          yield* Effect.promise(() =>
            readManifest(dataDir).then(
              () => "read",
              (cause: unknown) => {
                expect(cause, text.slice(0, 1000)).toBeInstanceOf(LoadError)
                return "refused"
              },
            ),
          ),
        )
      }
      expect([...outcomes].toSorted()).toEqual(["read", "refused"])
    }).pipe(Effect.scoped),
  )
})
