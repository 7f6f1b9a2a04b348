// DuckLake keeps in PostgreSQL which rows of its files are deleted. It takes whatever fails where it reads that for "none are", and
// remembers so until the lake's next snapshot: the statement itself fails, but later ones find deleted rows again. So after a
// failure the lake is attached anew, and what may have been read in between is neither returned nor committed.
import type { DuckDBConnection } from "@duckdb/node-api"
import { catalogProblem } from "./catalogError.ts"

const BEGIN = /^\s*BEGIN\b/i
const COMMIT = /^\s*COMMIT\b/i
const ROLLBACK = /^\s*ROLLBACK\b/i

/** What reads nothing of the lake: DuckLake has nothing of it to remember. */
const READS_NOTHING = /^\s*(ATTACH|DETACH|SET|USE)\b/i

/** What of a connection runs SQL. */
const RUNS_SQL = /^(run|stream|start|prepare|extract|create)/

/**
 * Returns how to watch the connections of a process: where a statement on any of them fails, `attachAnew` is called before the next
 * one, and transactions that are open then can only be rolled back. `shown` is the lake's catalog, as it may be shown.
 */
export const attachedAgain = (
  shown: string,
  attachAnew: () => Promise<void>,
): ((connection: DuckDBConnection) => DuckDBConnection) => {
  let failures = 0
  /** How many there had been when the lake was last attached. */
  let attachedAfter = 0
  let attaching: Promise<void> | undefined
  const attachAfterFailures = async (): Promise<void> => {
    if (attachedAfter === failures) return
    const before = failures
    attaching ??= attachAnew()
      .then(() => void (attachedAfter = before))
      .finally(() => (attaching = undefined))
    await attaching
    // Something may have failed meanwhile.
    await attachAfterFailures()
  }
  const mustBe = (before: number): void => {
    if (before === failures) return
    const why = "a statement failed meanwhile, so that deleted rows may have been read"
    throw catalogProblem(shown, why, "Run the command again.")
  }

  return (connection) => {
    /** How many there had been when the open transaction began. */
    let begunAfter: number | undefined
    const run = async <A>(sql: string, statement: () => Promise<A>): Promise<A> => {
      if (ROLLBACK.test(sql)) {
        begunAfter = undefined
        return statement()
      }
      if (READS_NOTHING.test(sql)) return statement()
      if (begunAfter === undefined) await attachAfterFailures()
      const before = begunAfter ?? failures
      mustBe(before)
      const result = await statement().catch((cause: unknown) => {
        failures += 1
        throw cause
      })
      if (COMMIT.test(sql)) begunAfter = undefined
      else mustBe(before)
      if (BEGIN.test(sql)) begunAfter = before
      return result
    }
    return new Proxy(connection, {
      get: (target, name) => {
        const member: unknown = Reflect.get(target, name, target)
        if (typeof member !== "function") return member
        return (...args: ReadonlyArray<unknown>): unknown => {
          const call = (): unknown => Reflect.apply(member, target, args)
          return RUNS_SQL.test(String(name))
            ? run(String(args[0]), call as () => Promise<unknown>)
            : call()
        }
      },
    })
  }
}
