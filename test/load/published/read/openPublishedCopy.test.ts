// A copy that this program reads itself, where it can't spill to a disk.
import { mkdirSync } from "node:fs"
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

it.effect("answers and closes where there is no folder for what does not fit into memory", () =>
  Effect.gen(function* () {
    const dataDir = yield* temporaryFolder
    mkdirSync(join(dataDir, "published"))
    const instance = yield* Effect.promise(() => DuckDBInstance.create(publishedFile(dataDir)))
    instance.closeSync()
    vi.stubEnv("TMPDIR", join(dataDir, "nowhere"))
    const found = yield* Effect.scoped(
      Effect.flatMap(openPublishedCopy(dataDir), ({ rows }) => rows("select 42::integer as n")),
    )
    expect(found).toEqual([{ n: 42 }])
  }),
)
