// Starts what tests of several files share, once for all of them: PostgreSQL for `make test-postgres`, and an object store
// besides for `make test-lake`; nothing in `make test`.
import type { TestProject } from "vitest/node"
import { installed, startPostgres } from "./postgres.ts"
import { startObjectStore } from "./objectStore.ts"

declare module "vitest" {
  interface ProvidedContext {
    /** Ports on loopback. */
    postgres: number
    objectStore: number
  }
}

export const setup = async ({ provide }: TestProject) => {
  if (installed === undefined) return
  // Many processes, each with a few connections.
  const postgres = await startPostgres(["-c", "max_connections=200"])
  provide("postgres", postgres.port)
  const lake = process.env["LAKE"]
  const objectStore = lake === undefined ? undefined : await startObjectStore(lake)
  if (objectStore !== undefined) provide("objectStore", objectStore.port)
  return async () => {
    await postgres.stop()
    await objectStore?.stop()
  }
}
