// What a session knows of the keys stored in vaulthouse's own tables: rows with new keys are inserted without a search for
// older rows of the same key, which takes a lake longer than the rest of a commit.
import type { Value } from "../../../domain/table/column.ts"
import { type Table, tableName } from "../../../domain/table/table.ts"
import type { Entries } from "../entries.ts"

// The keys of one table would otherwise take tens of megabytes. Beyond this, stored keys are looked up again.
const MAX_KEYS = 100_000

export class StoredKeys {
  /** The keys that this session has written, by table. */
  readonly #written = new Map<string, Set<string>>()
  /** Tables that hold no other keys. */
  readonly #own = new Set<string>()

  /** To be called before rows are first written. */
  addEmptyTables(emptyTables: Iterable<string>): void {
    for (const name of emptyTables) if (!this.#written.has(name)) this.#own.add(name)
  }

  /** To be called when another process has written. */
  forget(): void {
    this.#own.clear()
  }

  /** Whether the session has written all rows of the table, `schema.name`. */
  areAll(table: string): boolean {
    return this.#own.has(table)
  }

  hasWritten(table: Table, key: ReadonlyArray<Value>): boolean {
    return this.#written.get(tableName(table))?.has(JSON.stringify(key)) === true
  }

  /** Whether no row with one of these keys can be stored; they count as stored from now on, though the transaction may fail. */
  add({ table, keys, haveNewKeys }: Entries): boolean {
    const name = tableName(table)
    const written = this.#written.get(name) ?? new Set()
    this.#written.set(name, written)
    const areNew =
      (haveNewKeys || this.#own.has(name)) &&
      written.size <= MAX_KEYS &&
      !keys.some((key) => written.has(key))
    if (written.size <= MAX_KEYS) for (const key of keys) written.add(key)
    else this.#own.delete(name)
    return areNew
  }
}
