// What a session knows of the keys stored in vaulthouse's own tables: rows with new keys are inserted without a search for
// older rows of the same key, which takes a lake longer than the rest of a commit.
import type { Value } from "../../../domain/table/column.ts"
import { type Table, tableName } from "../../../domain/table/table.ts"
import type { Entries } from "../entries.ts"
import type { Note } from "./note.ts"

// The keys of one table would otherwise take tens of megabytes. Beyond this, stored keys are looked up again.
const MAX_KEYS = 100_000

type Keys = Map<string, Set<string>>

const keysIn = (all: Keys, table: string): Set<string> => {
  const found = all.get(table) ?? new Set()
  all.set(table, found)
  return found
}

export class StoredKeys {
  /** The keys that this session has written, by table. */
  readonly #written: Keys = new Map()
  /** Those that other processes have noted. */
  readonly #others: Keys = new Map()
  /** Tables that hold no keys but these. */
  readonly #known = new Set<string>()
  /** Tables that hold no keys but those this session has written. */
  readonly #own = new Set<string>()

  /** To be called before rows are first written. */
  addEmptyTables(emptyTables: Iterable<string>): void {
    for (const name of emptyTables) {
      if (this.#written.has(name)) continue
      this.#own.add(name)
      this.#known.add(name)
    }
  }

  /** To be called when another process has written it is unknown what. */
  forget(): void {
    this.#own.clear()
    this.#known.clear()
  }

  /** To be called when another process has written rows with these keys, by table; `undefined`: with any. */
  learn(written: Note["keys"]): void {
    this.#own.clear()
    for (const [table, keys] of written) {
      if (!this.#known.has(table)) continue
      const others = keysIn(this.#others, table)
      if (keys === undefined || others.size + keys.length > MAX_KEYS) this.#known.delete(table)
      else for (const key of keys) others.add(key)
    }
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
    const written = keysIn(this.#written, name)
    const others = this.#others.get(name)
    const areNew =
      (haveNewKeys || this.#known.has(name)) &&
      written.size <= MAX_KEYS &&
      !keys.some((key) => written.has(key) || others?.has(key) === true)
    if (written.size <= MAX_KEYS) for (const key of keys) written.add(key)
    else {
      this.#own.delete(name)
      this.#known.delete(name)
    }
    return areNew
  }
}
