// A copy that this program reads itself: the folder for what does not fit into memory.
import { mkdirSync, readdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { DuckDBInstance } from "@duckdb/node-api"
import { afterEach, expect, it, vi } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { openPublishedCopy } from "../../../../src/load/published/read/openPublishedCopy.ts"
import { publishedFile } from "../../../../src/load/published/read/PublishedCopy.ts"
import { temporaryFolder } from "../../../support/temporaryFolder.ts"

afterEach(() => {
  vi.unstubAllEnvs()
})

const published = Effect.gen(function* () {
  const dataDir = yield* temporaryFolder
  mkdirSync(join(dataDir, "published"))
  const instance = yield* Effect.promise(() => DuckDBInstance.create(publishedFile(dataDir)))
  instance.closeSync()
  return dataDir
})

/** What a query finds, and the folder beside it meanwhile. */
const read = (dataDir: string, folder: string) =>
  Effect.scoped(
    Effect.gen(function* () {
      const { rows } = yield* openPublishedCopy(dataDir)
      return [yield* rows("select 42::integer as n"), readdirSync(folder).length]
    }),
  )

it.effect("is gone once the copy is closed", () =>
  Effect.gen(function* () {
    const [dataDir, folder] = [yield* published, yield* temporaryFolder]
    vi.stubEnv("TMPDIR", folder)
    expect(yield* read(dataDir, folder)).toEqual([[{ n: 42 }], 1])
    expect(readdirSync(folder)).toEqual([])
  }),
)

it.effect("need not be: a query that does not spill is answered without it", () =>
  Effect.gen(function* () {
    const [dataDir, folder] = [yield* published, yield* temporaryFolder]
    vi.stubEnv("TMPDIR", join(folder, "nowhere"))
    expect(yield* read(dataDir, folder)).toEqual([[{ n: 42 }], 0])
  }),
)

it.effect("refuses a copy with the log of a program that was writing to it", () =>
  Effect.gen(function* () {
    const dataDir = yield* published
    writeFileSync(`${publishedFile(dataDir)}.wal`, "")
    const { message } = yield* Effect.flip(read(dataDir, dataDir))
    expect(message).toMatch(
      /can't be opened: there is vaulthouse\.duckdb\.wal of a program that has opened it to write\. .*\nRun `vaulthouse publish --all`/,
    )
  }),
)
