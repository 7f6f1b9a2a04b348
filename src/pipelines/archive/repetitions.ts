// Finds readings that a rebuild need not merge because they repeat the previous one, as most do. Only for slowly
// changing tables: their readings have few rows, and the cost of a merge depends on the number of tables, not of rows.
import { type Rows, tableName } from "../../domain/table/table.ts"
import { fingerprint } from "../../domain/values/fingerprint.ts"

/** The newest readings of one table. */
interface Known {
  /** Columns that identify its sets: two sets identified by the same columns share no row. */
  readonly columns: string
  /** Fingerprint of the rows, by the values of these columns. */
  readonly sets: Map<string, string>
}

export class Repetitions {
  private readonly tables = new Map<string, Known>()

  /** The rows of a batch, without the tables in which they change nothing. Call it in the order of the commits. */
  readonly without = (rows: ReadonlyArray<Rows>): ReadonlyArray<Rows> =>
    [...Map.groupBy(rows, ({ table }) => tableName(table)).values()].flatMap((ofTable) =>
      this.isRepeated(ofTable) ? [] : ofTable,
    )

  private isRepeated(ofTable: ReadonlyArray<Rows>): boolean {
    const rows = ofTable.filter(({ length, mergeKey }) => length > 0 || mergeKey !== undefined)
    const [first] = rows
    if (first === undefined) return ofTable.every(({ table }) => table.mode === SLOWLY_CHANGING)
    if (first.table.mode !== SLOWLY_CHANGING) return false
    const name = tableName(first.table)
    const [set, ...others] = [...new Set(rows.map(setOf))]
    // Part of a set, or several sets at once, may change rows of any set.
    if (set === undefined || others.length > 0) {
      this.tables.delete(name)
      return false
    }
    const [columns, values] = JSON.parse(set) as [string, string]
    let known = this.tables.get(name)
    if (known?.columns !== columns) this.tables.set(name, (known = { columns, sets: new Map() }))
    const content = fingerprint(rows.map(contentOf))
    const isRepeated = known.sets.get(values) === content
    known.sets.set(values, content)
    return isRepeated
  }
}

const SLOWLY_CHANGING = "slowly_changing"

/** Columns and values that identify the set of these rows: the merge key, or the key of a single row. */
const setOf = ({ table, columns, length, mergeKey, isPartial }: Rows): string | undefined => {
  if (isPartial === true || (mergeKey === undefined && length !== 1)) return undefined
  const names = mergeKey === undefined ? table.key : Object.keys(mergeKey).toSorted()
  const values = names.map((name) =>
    mergeKey === undefined
      ? columns[table.columns.findIndex((column) => column.name === name)]?.[0]
      : mergeKey[name],
  )
  return JSON.stringify([JSON.stringify(names), JSON.stringify(values)])
}

/** The values whose change makes a new version. */
const contentOf = ({ table, columns }: Rows) =>
  columns.filter((_, at) => table.columns[at]?.isIncidental !== true)
