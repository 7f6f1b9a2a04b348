// A folder of its own for each test, gone with its scope.
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Effect from "effect/Effect"

export const temporaryFolder = Effect.acquireRelease(
  Effect.promise(() => mkdtemp(join(tmpdir(), "vaulthouse-test-"))),
  (folder) => Effect.promise(() => rm(folder, { recursive: true, force: true })),
)
