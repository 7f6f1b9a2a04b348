// A connection that writes, and its transactions, which take turns with those of other writers.
import type { DuckDBConnection } from "@duckdb/node-api"
import type { Claim } from "../../domain/run/claim.ts"

/** A write transaction's turn: nothing else writes the warehouse until it ends. */
export interface Turn {
  /**
   * What other processes have noted on their transactions since this one's last turn; `undefined` if one of them noted
   * nothing, so that any row may be another by now.
   */
  readonly others: ReadonlyArray<string> | undefined
  /** In the transaction: notes on it, for other processes, which rows it writes. */
  readonly note: (text: string) => Promise<void>
  /** Rejects with `ClaimLost` if one of the claims is not held; none can be taken until the turn ends. */
  readonly hold: (claims: ReadonlyArray<Claim>) => Promise<void>
  /** Call before COMMIT: flushes what the commit relies on; rejects if the turn was lost meanwhile. */
  readonly beforeCommit: () => Promise<void>
}

/** Waits for its turn and runs `work`, a write transaction from BEGIN to COMMIT. Not to be nested. */
export type Exclusively = <A>(work: (turn: Turn) => Promise<A>) => Promise<A>

/** The turns of a process that is the only writer. */
export const onlyWriter: Exclusively = (work) =>
  work({
    others: [],
    note: async () => undefined,
    hold: async () => undefined,
    beforeCommit: async () => undefined,
  })

/** A connection that writes, and how its transactions take turns with those of others. */
export interface Writer {
  readonly connection: DuckDBConnection
  readonly exclusively: Exclusively
  /** Whether a statement can be run: a lake keeps no comments on macros and on columns of views. */
  readonly accepts: (statement: string) => boolean
}

/** A connection to a file that nothing else writes. */
export const alone = (connection: DuckDBConnection): Writer => ({
  connection,
  exclusively: onlyWriter,
  accepts: () => true,
})

const inTransaction = new WeakSet<DuckDBConnection>()

/** Whether a transaction that `transaction` began is open on the connection. */
export const isInTransaction = (connection: DuckDBConnection): boolean =>
  inTransaction.has(connection)

/** Runs `work` in a transaction. Any failure rolls back, because a COMMIT after one would silently keep nothing. */
export const transaction = <A>(writer: Writer, work: () => Promise<A>): Promise<A> =>
  writer.exclusively((turn) => transactionIn(turn, writer, work))

/** Like `transaction`, in a turn that has begun. */
export const transactionIn = async <A>(
  turn: Turn,
  { connection }: Writer,
  work: () => Promise<A>,
): Promise<A> => {
  await connection.run("BEGIN")
  inTransaction.add(connection)
  try {
    const result = await work()
    await turn.beforeCommit()
    await connection.run("COMMIT")
    return result
  } catch (cause) {
    // DuckDB may have ended the transaction itself; the first failure is the one to report.
    await connection.run("ROLLBACK").catch(() => undefined)
    throw cause
  } finally {
    inTransaction.delete(connection)
  }
}
