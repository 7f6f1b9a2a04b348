// A copy that this program reads itself: the folder for what does not fit into memory, and queries that fail or are stopped.
import { mkdirSync, readdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { DuckDBInstance } from "@duckdb/node-api"
import { afterEach, expect, it, vi } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
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

it.live("stops a query that nobody waits for, at once or later, and answers the next one", () =>
  Effect.gen(function* () {
    const { rows } = yield* openPublishedCopy(yield* published)
    const endless = rows("select count(*) from range(100000000000) a, range(1000) b")
    for (const wait of ["1 millis", "100 millis"] as const) {
      expect(yield* Effect.timeoutOption(endless, wait)).toEqual(Option.none())
      // It would wait for the one before, or be stopped in its place: it takes as long as that takes.
      const next = yield* rows("select sum(range % 7)::integer as n from range(21000000)")
      expect(next).toEqual([{ n: 63_000_000 }])
    }
  }).pipe(Effect.scoped),
)

it.effect("says why a query is refused, and what can be read", () =>
  Effect.gen(function* () {
    const { rows } = yield* openPublishedCopy(yield* published)
    const { message } = yield* Effect.flip(rows("select nothing from duckdb_tables()"))
    expect(message).toMatch(
      /^DuckDB refused the query: Binder Error: .*"nothing".*\n`vaulthouse tables` lists tables and columns\.$/s,
    )
  }).pipe(Effect.scoped),
)

it.effect("is not there before anything is published", () =>
  Effect.gen(function* () {
    const { message } = yield* Effect.flip(openPublishedCopy(yield* temporaryFolder))
    expect(message).toMatch(/^Nothing is published in .* yet\.\nRun `vaulthouse sync` first/)
  }).pipe(Effect.scoped),
)
