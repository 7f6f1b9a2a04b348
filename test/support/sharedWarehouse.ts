// A synced data directory, made once per test file; each test works on a copy.
import { cpSync } from "node:fs"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { afterAll, beforeAll } from "vitest"
import { temporaryFolder } from "./temporaryFolder.ts"

export const sharedWarehouse = (
  make: (dataDir: string) => Effect.Effect<unknown, unknown, Scope.Scope>,
): Effect.Effect<string, never, Scope.Scope> => {
  let made = ""
  beforeAll(async () => {
    made = await mkdtemp(join(tmpdir(), "vaulthouse-shared-"))
    await Effect.runPromise(Effect.scoped(make(made)))
  })
  afterAll(() => rm(made, { recursive: true, force: true }))
  return Effect.tap(temporaryFolder, (folder) =>
    Effect.sync(() => cpSync(made, folder, { recursive: true, verbatimSymlinks: true })),
  )
}
