// Finds the part of a response that holds a row: the record whose values are the row's. The mapping from records to rows
// goes one way, so this compares values instead of names.
import { asAmount, asDigits, asNumber, isJsonObject } from "../../../domain/values/json.ts"
import type { Column, ColumnType } from "../../../domain/table/column.ts"
import type { Table } from "../../../domain/table/table.ts"
import { parseDay, parseInstant } from "../../../domain/values/time.ts"

export interface Fragment {
  /** For example `$.data[3]`; several paths if a record is spread over parallel arrays. */
  readonly path: string
  readonly value: unknown
  /** Columns of the row whose values it has. */
  readonly matched: ReadonlyArray<string>
}

const isScalar = (value: unknown): boolean => !isJsonObject(value) && !Array.isArray(value)

const step = (name: string): string =>
  /^[A-Za-z_]\w*$/.test(name) ? `.${name}` : `[${JSON.stringify(name)}]`

/** Arrays of the same length whose items belong together, such as a chart's labels and values. */
const parallelArrays = (value: Readonly<Record<string, unknown>>) => {
  const arrays = Object.entries(value).filter(
    (entry): entry is [string, ReadonlyArray<unknown>] =>
      Array.isArray(entry[1]) && entry[1].length > 0 && entry[1].every(isScalar),
  )
  const length = arrays[0]?.[1].length ?? 0
  return arrays.length > 1 && arrays.every(([, array]) => array.length === length)
    ? { arrays, length }
    : undefined
}

/** A scalar of a response in the form in which it equals what is stored; `undefined` if it can't be such a value. */
type Form = (value: unknown) => unknown

const itself: Form = (value) => value
const lowerCase: Form = (value) => (typeof value === "string" ? value.toLowerCase() : undefined)

/** As sent and as stored. Booleans and JSON identify no record. */
const forms: Readonly<Partial<Record<ColumnType, readonly [sent: Form, stored: Form]>>> = {
  text: [lowerCase, lowerCase],
  integer: [asDigits, String],
  double: [asNumber, itself],
  timestamp: [parseInstant, parseInstant],
  date: [parseDay, parseDay],
  amount: [asAmount, itself],
}

// A zero occurs in any record, so it does not identify one.
const isDistinctive = (value: unknown): boolean =>
  value !== null && value !== undefined && value !== 0

/** The columns of the row that have the value. Each value is converted once for each type, not for each column. */
const columnsWith = (
  table: Table,
  row: Readonly<Record<string, unknown>>,
): ((sent: unknown) => ReadonlyArray<Column>) => {
  const known = Object.entries(forms).map(([type, [formOfSent, formOfStored]]) => {
    const columns = table.columns.filter(
      ({ name, type: its }) => its === type && isDistinctive(row[name]),
    )
    return { formOfSent, columns: Map.groupBy(columns, ({ name }) => formOfStored(row[name])) }
  })
  const some = known.filter(({ columns }) => columns.size > 0)
  return (sent) =>
    some.flatMap(({ formOfSent, columns }) => {
      const form = formOfSent(sent)
      return form === undefined ? [] : (columns.get(form) ?? [])
    })
}

const isOwnName = (leaf: string, { name, fields }: Column): boolean =>
  leaf === name || (fields?.includes(leaf) ?? false)

/** A name with a scalar, and the columns of the row that have this value, or the name for a value. */
interface Leaf {
  readonly name: string
  readonly columns: ReadonlyArray<Column>
  readonly ofName: ReadonlyArray<Column>
}

// Far more than those of documented shapes.
const MAX_PATH = 10_000
const MAX_PATHS = 100

const shortened = (text: string, most = MAX_PATH): string =>
  text.length > most ? `${text.slice(0, most).replace(/[\uD800-\uDBFF]$/, "")}…` : text

/** Made only for the record that is shown: the path of each would be a text as long as the names above it. */
type Path = () => string

/** The record that has most of the row's values, its own counting more than those around it. */
export const findFragment = (
  body: unknown,
  table: Table,
  row: Readonly<Record<string, unknown>>,
): Fragment | undefined => {
  const columnsOf = columnsWith(table, row)
  const leafOf = (name: string, value: unknown, ofName = columnsOf(name)): Leaf => ({
    name,
    columns: columnsOf(value),
    ofName,
  })
  let best: { readonly fragment: () => Fragment; readonly score: number } | undefined

  /** `around` are the columns whose values the objects around it have, such as the vault's address above a series. */
  const consider = (
    leaves: ReadonlyArray<Leaf>,
    around: ReadonlySet<Column>,
    path: Path,
    value: () => unknown,
  ): void => {
    /** Whether one of its fields has both the value and the name of the column. */
    const own = new Map<Column, boolean>()
    for (const { name, columns, ofName } of leaves) {
      for (const column of [...columns, ...ofName]) {
        own.set(column, own.get(column) === true || isOwnName(name, column))
      }
    }
    const matched = table.columns.filter((column) => own.has(column) || around.has(column))
    const score = matched
      .map((column) => (own.has(column) ? (own.get(column) === true ? 12 : 10) : 1))
      .reduce((sum, each) => sum + each, 0)
    if (score < 10 || score <= (best?.score ?? 0)) return
    const names = matched.map(({ name }) => name)
    best = {
      fragment: () => ({ path: shortened(path()), value: value(), matched: names }),
      score,
    }
  }

  const visit = (value: unknown, path: Path, around: ReadonlySet<Column>): void => {
    if (Array.isArray(value)) {
      for (const [index, each] of value.entries()) {
        if (!isScalar(each)) visit(each, () => `${path()}[${index}]`, around)
      }
      return
    }
    if (!isJsonObject(value)) return
    const entries = Object.entries(value)
    const leaves = entries.filter(([, each]) => isScalar(each)).map((each) => leafOf(...each))
    if (leaves.length > 0) consider(leaves, around, path, () => value)
    const within = withMore(
      around,
      leaves.flatMap(({ columns }) => columns),
    )
    const parallel = parallelArrays(value)
    // A name may be as long as its array, so that it is not read again for each element.
    const ofNames = parallel?.arrays.map(([name]) => columnsOf(name))
    for (let index = 0; index < (parallel?.length ?? 0); index += 1) {
      const record = (parallel?.arrays ?? []).map(([name, array]) => [name, array[index]] as const)
      consider(
        record.map((each, at) => leafOf(...each, ofNames?.[at])),
        within,
        () => {
          const before = shortened(path())
          const paths = record
            .slice(0, MAX_PATHS)
            .map(([name]) => `${before}${step(shortened(name))}[${index}]`)
          return [...paths, ...(record.length > MAX_PATHS ? ["…"] : [])].join(", ")
        },
        () => Object.fromEntries(record),
      )
    }
    for (const [name, each] of entries) {
      if (isScalar(each)) continue
      visit(each, () => `${path()}${step(name)}`, withMore(within, columnsOf(name)))
    }
  }

  visit(body, () => "$", new Set())
  return best?.fragment()
}

const withMore = (columns: ReadonlySet<Column>, more: ReadonlyArray<Column>) =>
  more.length === 0 ? columns : new Set([...columns, ...more])

// More than a page, a terminal or an assistant has use for. A value is shown with each version of its row.
const MAX_CHARACTERS = 100_000
const MAX_VALUE = 2000

/** Its value as JSON, indented where that is short, and how many characters of it are left out. */
export const fragmentText = ({
  value,
}: Fragment): { readonly text: string; readonly leftOut: number } => {
  const whole = JSON.stringify(value)
  if (whole.length > MAX_CHARACTERS) {
    return { text: shortened(whole, MAX_CHARACTERS), leftOut: whole.length - MAX_CHARACTERS }
  }
  const indented = JSON.stringify(value, undefined, 2)
  return { text: indented.length > MAX_CHARACTERS ? whole : indented, leftOut: 0 }
}

/** With the beginning of its JSON for a value, and with how much that leaves out, if all of it is too long. */
export const shortFragment = (fragment: Fragment): Fragment => {
  const { text, leftOut } = fragmentText(fragment)
  return leftOut > 0 ? { ...fragment, value: `${text} (${leftOut} more characters)` } : fragment
}

/** A value of a row: the beginning of a text, with how much that leaves out, if all of it is too long. */
export const shortValue = (value: unknown): unknown =>
  typeof value === "string" && value.length > MAX_VALUE
    ? `${shortened(value, MAX_VALUE)} (${value.length - MAX_VALUE} more characters)`
    : value
