// The folders that reader processes have for themselves, seen in a temporary directory of one test alone: others run
// readers meanwhile.
import { readdirSync } from "node:fs"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import { temporaryFolder } from "./temporaryFolder.ts"

/** Lists the paths of those that there are. To be called before anything in the scope starts a reader. */
export const readerFolders = Effect.gen(function* () {
  const folder = yield* temporaryFolder
  yield* Effect.acquireRelease(
    Effect.sync(() => {
      const { TMPDIR } = process.env
      process.env["TMPDIR"] = folder
      return TMPDIR
    }),
    (before) =>
      Effect.sync(() => {
        if (before === undefined) delete process.env["TMPDIR"]
        else process.env["TMPDIR"] = before
      }),
  )
  return (): ReadonlyArray<string> =>
    readdirSync(folder)
      .filter((name) => name.startsWith("vaulthouse-reader-"))
      .map((name) => join(folder, name))
})
