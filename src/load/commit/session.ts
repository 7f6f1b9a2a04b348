// What the transactions of a process share, and the changes that each of them marks.
import type { DuckDBConnection } from "@duckdb/node-api"
import { invariant } from "../../domain/invariant.ts"
import { type Rows, type Table, tableName } from "../../domain/table/table.ts"
import { writeBookkeeping } from "./bookkeeping.ts"
import { entriesOf } from "./entries.ts"
import { monthsIn } from "../tables/months.ts"
import type { Counts, MergeContext } from "./merge/merge.ts"
import { rowsOf } from "../../domain/table/rowsOf.ts"
import type { Extent } from "./merge/seriesExtent.ts"
import type { Database } from "../storage/Storage.ts"
import { StoredKeys } from "./stored/storedKeys.ts"
import { type Note, noteText } from "./stored/note.ts"
import type { StoredRanges } from "./stored/storedRanges.ts"
import type { storedColumns } from "../tables/storedColumns.ts"
import { partitionChanges } from "../tables/ops/partition_changes.ts"
import { alone, isInTransaction, type Writer } from "../duckdb/transaction.ts"

export interface Session extends MergeContext, Writer {
  /** `schema.table/month` already marked as changed by this process since the last export. */
  readonly marked: Set<string>
  readonly ranges: StoredRanges
  readonly keys: StoredKeys
  /** Finds the empty tables, once: to be called in a turn, before rows are written. */
  readonly findEmptyTables: () => Promise<void>
  readonly storedColumns: ReturnType<typeof storedColumns>
  readonly checkpoint: Database["checkpoint"]
  readonly makeCopy: Database["makeCopy"]
}

/** The session on a copy of the warehouse, which may hold other rows: nothing is known of them. */
export const onCopy = (session: Session, connection: DuckDBConnection): Session => ({
  ...session,
  ...alone(connection),
  keys: new StoredKeys(),
  findEmptyTables: async () => undefined,
})

/** Collects what changed, to mark it once in the same transaction. */
export class Changes {
  /** Rows that batches inserted and revised, by table. */
  readonly rows = new Map<string, Pick<Counts, "inserted" | "revised">>()
  readonly #session: Session
  readonly #unmarked = new Map<string, readonly [Table, string]>()
  readonly #extents: Array<Note["extents"][number]> = []
  readonly #keys: Array<Note["keys"][number]> = []
  #state: "collecting" | "written" | "committed" = "collecting"

  constructor(session: Session) {
    this.#session = session
  }

  add(table: Table, months: Iterable<string>): void {
    this.#mustBe("collecting", "a change is marked by the transaction that makes it")
    for (const month of months) {
      const mark = `${tableName(table)}/${month}`
      if (!this.#session.marked.has(mark)) this.#unmarked.set(mark, [table, month])
    }
  }

  countRows(table: Table, { inserted, revised }: Counts): void {
    const name = tableName(table)
    const before = this.rows.get(name) ?? { inserted: 0, revised: 0 }
    this.rows.set(name, {
      inserted: before.inserted + inserted,
      revised: before.revised + revised,
    })
  }

  /** Writes rows of vaulthouse's own tables and marks everything that changed: the last step of a transaction. */
  async write(rows: ReadonlyArray<Rows> = []): Promise<void> {
    this.#mustBe("collecting", "changes are written once")
    invariant(isInTransaction(this.#session.connection), "rows are written in a transaction", {
      run: this.#session.runId,
    })
    const entries = entriesOf(rows)
    for (const each of entries) this.add(each.table, monthsIn(each))
    this.#state = "written"
    const marks = entriesOf([rowsOf(partitionChanges, this.#marks())])
    if (entries.length + marks.length === 0) return
    for (const { table, keys, haveNewKeys } of [...entries, ...marks]) {
      this.#keys.push([tableName(table), haveNewKeys ? undefined : keys])
    }
    await this.#session.findEmptyTables()
    await writeBookkeeping(this.#session, [...entries, ...marks], this.#session.keys)
  }

  #marks() {
    const changed_at = this.#session.tick()
    return [...this.#unmarked.values()].map(([table, month]) => ({
      table_schema: table.schema,
      table_name: table.name,
      month,
      run_id: this.#session.runId,
      changed_at,
    }))
  }

  /** Remembers the extents of rows that the transaction stores. */
  keepExtents(table: Table, extents: ReadonlyArray<Extent | undefined>): void {
    this.#extents.push([tableName(table), extents])
  }

  /** What the transaction stores, for `Turn.note`, if all of its rows are in batches. */
  get note(): string {
    this.#mustBe("written", "a note is of all that a transaction writes")
    return noteText({ extents: this.#extents, keys: this.#keys })
  }

  afterCommit(): void {
    const text = "a month counts as marked only after the transaction that marked it"
    this.#mustBe("written", text)
    const isOpen = isInTransaction(this.#session.connection)
    invariant(!isOpen, text, { transaction: "open" })
    this.#state = "committed"
    for (const [table, extents] of this.#extents) this.#session.ranges.remember(table, extents)
    for (const mark of this.#unmarked.keys()) this.#session.marked.add(mark)
  }

  #mustBe(state: "collecting" | "written", text: string): void {
    invariant(this.#state === state, text, { expected: state, found: this.#state })
  }
}
