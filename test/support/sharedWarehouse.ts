// What is made once per test file: a synced data directory, of which each test gets a copy, and what no test changes.
import { cpSync } from "node:fs"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import { afterAll, beforeAll } from "vitest"
import { temporaryFolder } from "./temporaryFolder.ts"

/** For tests that change nothing of it; it lives until the last test of the file has ended. */
export const shared = <A>(make: Effect.Effect<A, unknown, Scope.Scope>): Effect.Effect<A> => {
  const scope = Scope.makeUnsafe()
  let made: Promise<A> | undefined
  beforeAll(() => (made = Effect.runPromise(Scope.provide(make, scope))))
  afterAll(() => Effect.runPromise(Scope.close(scope, Exit.void)))
  return Effect.promise(() => made as Promise<A>)
}

export const sharedWarehouse = (
  make: (dataDir: string) => Effect.Effect<unknown, unknown, Scope.Scope>,
): Effect.Effect<string, never, Scope.Scope> => {
  const made = shared(Effect.tap(temporaryFolder, make))
  return Effect.flatMap(made, (original) =>
    Effect.tap(temporaryFolder, (folder) =>
      Effect.sync(() => cpSync(original, folder, { recursive: true, verbatimSymlinks: true })),
    ),
  )
}
