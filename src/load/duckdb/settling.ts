// Connections that are closed once none of their statements runs: closing one frees what its statements use, so that DuckDB
// ends the process (SIGSEGV) or waits for itself for ever. A failure, or an interrupted fibre, may leave statements running that
// nothing waits for any more.
import type { DuckDBConnection } from "@duckdb/node-api"

export interface Settling {
  /** The connection, whose statements are counted. */
  readonly counted: (connection: DuckDBConnection) => DuckDBConnection
  /** Refuses further statements, and resolves once none runs. */
  readonly settle: () => Promise<void>
}

export const settling = (): Settling => {
  const running = new Set<Promise<unknown>>()
  let isClosing = false
  const counted = (connection: DuckDBConnection): DuckDBConnection =>
    new Proxy(connection, {
      get: (target, name) => {
        const member: unknown = Reflect.get(target, name, target)
        if (typeof member !== "function") return member
        return (...args: ReadonlyArray<unknown>): unknown => {
          if (isClosing) return Promise.reject(new Error("the database is being closed"))
          const result: unknown = Reflect.apply(member, target, args)
          if (result instanceof Promise) {
            running.add(result)
            const forget = (): void => void running.delete(result)
            result.then(forget, forget)
          }
          return result
        }
      },
    })
  const settle = async (): Promise<void> => {
    isClosing = true
    while (running.size > 0) await Promise.allSettled(running)
  }
  return { counted, settle }
}
