// A file system on which no links can be made.
import fileSystem from "node:fs/promises"
import { syncBuiltinESMExports } from "node:module"
import * as Effect from "effect/Effect"

/** From here to the end of the scope, making a hard or a symbolic link fails with `code`. */
export const withoutLinks = (kind: "link" | "symlink", code: string) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const made = fileSystem[kind]
      fileSystem[kind] = () =>
        Promise.reject(Object.assign(new Error(`${code}: ${kind}`), { code }))
      syncBuiltinESMExports()
      return made
    }),
    (made) =>
      Effect.sync(() => {
        Object.assign(fileSystem, { [kind]: made })
        syncBuiltinESMExports()
      }),
  )
