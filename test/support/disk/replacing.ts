// A function of Node's that does something else until the scope ends, so that what two commands do falls exactly as it may.
import fs from "node:fs"
import promises from "node:fs/promises"
import { syncBuiltinESMExports } from "node:module"
import * as Effect from "effect/Effect"

const inModule =
  <M extends object>(module: M) =>
  <K extends keyof M>(name: K, replacement: (original: M[K]) => M[K]) => {
    const put = (value: M[K]): void => {
      module[name] = value
      syncBuiltinESMExports()
    }
    return Effect.acquireRelease(
      Effect.sync(() => {
        const original = module[name]
        put(replacement(original))
        return original
      }),
      (original) => Effect.sync(() => put(original)),
    )
  }

/** In `node:fs`. */
export const replacing = inModule(fs)

/** In `node:fs/promises`. */
export const replacingPromise = inModule(promises)
