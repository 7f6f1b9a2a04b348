import { mkdirSync, symlinkSync, utimesSync, writeFileSync } from "node:fs"
import { basename, join } from "node:path"
import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { MILLIS_PER_DAY } from "../../../src/domain/values/time.ts"
import {
  headerOf,
  isCopyUnchanged,
  isUnchanged,
  outdated,
  readCurrent,
} from "../../../src/load/published/publishedFiles.ts"
import { temporaryFolder } from "../../support/temporaryFolder.ts"

/** What is recorded of a copy. */
const currentOf = (copy: string) =>
  Effect.map(
    Effect.promise(() => headerOf(copy)),
    (header) => ({
      file: basename(copy),
      run_id: "r",
      published_at: "2026-01-01T00:00:00Z",
      definition: "d",
      content: "c",
      header,
      duckdb: "v1",
      views: {},
    }),
  )

it.live(
  "an earlier copy stays while it is among the newest and was replaced days ago at most",
  () =>
    Effect.gen(function* () {
      const folder = yield* temporaryFolder
      const now = Date.now()
      // Made that many days ago; each was replaced when the next was made, the newest just now.
      const ages = { newest: 20, second: 21, third: 22, oldest: 40 }
      for (const [name, days] of Object.entries(ages)) {
        writeFileSync(join(folder, name), "")
        const madeAt = (now - days * MILLIS_PER_DAY) / 1000
        utimesSync(join(folder, name), madeAt, madeAt)
      }
      const gone = (copies: number, days: number) =>
        Effect.promise(() => outdated(folder, Object.keys(ages), { copies, days }))
      expect(yield* gone(4, 23)).toEqual([])
      expect(yield* gone(4, 21.5)).toEqual(["oldest"])
      expect(yield* gone(4, 7)).toEqual(["second", "third", "oldest"])
      expect(yield* gone(2, 23)).toEqual(["third", "oldest"])
      expect(yield* gone(0, 23)).toEqual(["newest", "second", "third", "oldest"])
    }),
)

it.live("current.json names a copy in its own folder, or counts as none", () =>
  Effect.gen(function* () {
    const dataDir = yield* temporaryFolder
    const file = join(dataDir, "published", "current.json")
    mkdirSync(join(dataDir, "published"))
    const current = {
      file: "vaulthouse-r.duckdb",
      run_id: "r",
      published_at: "2026-01-01T00:00:00Z",
      definition: "d",
      content: "c",
      duckdb: "v1",
      views: {},
    }
    const read = (text: string) => {
      writeFileSync(file, text)
      return Effect.promise(() => readCurrent(dataDir))
    }
    expect(yield* read(JSON.stringify(current))).toEqual(current)
    for (const name of ["../vaulthouse-r.duckdb", "vaulthouse-../r.duckdb", "other.duckdb", ""]) {
      expect(yield* read(JSON.stringify({ ...current, file: name })), name).toBeUndefined()
    }
    expect(yield* read(JSON.stringify(current).slice(0, -1))).toBeUndefined()
    const linked = yield* temporaryFolder
    mkdirSync(join(linked, "published"))
    writeFileSync(file, JSON.stringify(current))
    symlinkSync(file, join(linked, "published", "current.json"))
    expect(yield* Effect.promise(() => readCurrent(linked))).toBeUndefined()
  }),
)

it.live("a copy that can't be read counts as changed: the next one is not made from it", () =>
  Effect.gen(function* () {
    const folder = yield* temporaryFolder
    const copy = join(folder, "copy.duckdb")
    writeFileSync(copy, "as it was published")
    const current = yield* currentOf(copy)
    const unchanged = (path: string) => Effect.promise(() => isUnchanged(current, path))
    expect(yield* unchanged(copy)).toBe(true)
    // Reading a folder fails.
    expect(yield* unchanged(folder)).toBe(false)
  }),
)

it.effect("a copy is as it was published if both of its names lead to that", () =>
  Effect.gen(function* () {
    const dataDir = yield* temporaryFolder
    const folder = join(dataDir, "published")
    mkdirSync(folder)
    const names = [join(folder, "vaulthouse.duckdb"), join(folder, "vaulthouse-r.duckdb")]
    const restore = () => names.forEach((name) => writeFileSync(name, "as it was published"))
    restore()
    const current = yield* currentOf(join(folder, "vaulthouse-r.duckdb"))
    const unchanged = Effect.promise(() => isCopyUnchanged(dataDir, current))
    expect(yield* unchanged).toBe(true)
    for (const name of names) {
      writeFileSync(name, "as somebody left it")
      expect(yield* unchanged).toBe(false)
      restore()
    }
  }),
)
