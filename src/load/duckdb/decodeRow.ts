// Typed values from the rows of vaulthouse's own queries: `rows.map(decodeRow({ entity: text("entity"), … }))`. A
// column that is missing or of another type is an error in the query; the exception names it.
import type { Row } from "./readRows.ts"

/** Reads one column of a row. */
export type ColumnDecoder<A> = (row: Row) => A

type Decode<A> = (value: unknown) => A | undefined

type NamedDecoder<A> = ((column: string) => ColumnDecoder<A>) & { readonly decode: Decode<A> }

const described = (value: unknown): string =>
  value === undefined ? "no such column" : JSON.stringify(value).slice(0, 80)

const decoderOf = <A>(expected: string, decode: Decode<A>): NamedDecoder<A> => {
  const named = (column: string) => (row: Row) => {
    const decoded = decode(row[column])
    if (decoded !== undefined) return decoded
    throw new TypeError(
      `A query of vaulthouse gave ${described(row[column])} for "${column}"; expected ${expected}.`,
    )
  }
  return Object.assign(named, { decode })
}

export const text = decoderOf("text", (value) => (typeof value === "string" ? value : undefined))

/** Also a 64-bit integer, if a double holds it exactly. */
export const number = decoderOf("a number", (value) =>
  typeof value === "number" ? value : undefined,
)

export const boolean = decoderOf("a boolean", (value) =>
  typeof value === "boolean" ? value : undefined,
)

/** The value that a column of JSON text holds. */
export const json = decoderOf<{} | null>("JSON text", (value) =>
  typeof value === "string" ? (JSON.parse(value) as {} | null) : undefined,
)

export const list = <A>({ decode }: NamedDecoder<A>) =>
  decoderOf<ReadonlyArray<A>>("a list", (value) => {
    if (!Array.isArray(value)) return undefined
    const items = value.map(decode).filter((item) => item !== undefined)
    return items.length === value.length ? items : undefined
  })

export const oneOf = <const A extends string>(...allowed: ReadonlyArray<A>) =>
  decoderOf(`one of ${allowed.join(", ")}`, (value) => allowed.find((each) => each === value))

/** `undefined` if the column is null. */
export const optional =
  <A>(decoder: NamedDecoder<A>) =>
  (column: string): ColumnDecoder<A | undefined> =>
  (row) =>
    row[column] === null ? undefined : decoder(column)(row)

type Decoded<Columns> = {
  readonly [Name in keyof Columns]: Columns[Name] extends ColumnDecoder<infer A> ? A : never
}

/** An object with a value for each of `columns`. */
export const decodeRow =
  <const Columns extends Readonly<Record<string, ColumnDecoder<unknown>>>>(columns: Columns) =>
  (row: Row): Decoded<Columns> => {
    const decoded: Record<string, unknown> = {}
    for (const name in columns) decoded[name] = columns[name]?.(row)
    return decoded as Decoded<Columns>
  }
