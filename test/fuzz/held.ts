// Whether a response holds the values of a row. Read here without the product's readers: each value must be one that the
// row's own record holds, or what that record is in, or the request.
import type { Column, Value } from "../../src/domain/table/column.ts"
import type { Rows, Table } from "../../src/domain/table/table.ts"

/** A double has every digit of a number whose text is no longer. */
const EXACT = 15

/**
 * A body as JSON alone reads it: of a number that a double may not hold, the text that was sent. No table can hold half
 * of a surrogate pair.
 */
export const asSent = (body: string): unknown =>
  JSON.parse(body, ((
    _key: string,
    value: unknown,
    { source = "" }: { readonly source?: string },
  ) => {
    if (typeof value === "string") return value.toWellFormed()
    return typeof value === "number" && !(source.length <= EXACT && Number.isFinite(value))
      ? source
      : value
  }) as Parameters<typeof JSON.parse>[1])

export interface Held {
  readonly numbers: Set<number>
  readonly texts: Set<string>
  readonly millis: Set<number>
}

const MONTH_DAY_YEAR = /^(\d{1,2})\/(\d{1,2})\/(\d{4})$/

/** The instants that a value may mean. */
const millisOf = (value: unknown): ReadonlyArray<number> => {
  const number = Number(value)
  if (value !== "" && Number.isFinite(number)) return [number * 1000, number, number / 1000]
  const text = String(value).trim()
  const [, month, day, year] = MONTH_DAY_YEAR.exec(text) ?? []
  if (month !== undefined) return [Date.UTC(Number(year), Number(month) - 1, Number(day))]
  const iso = text.replace(/ ?(?:UTC|Z)$/, "Z").replace(" ", "T")
  return [iso, `${iso}Z`].map((each) => Date.parse(each)).filter((each) => !Number.isNaN(each))
}

const isHolder = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null

const nothing = (): Held => ({ numbers: new Set(), texts: new Set(), millis: new Set() })

/** `2.5e+21` and `2.5e-7` in digits alone, as amounts are written. */
const withoutExponent = (text: string): string => {
  const [, sign = "", whole = "", fraction = "", direction, exponent = ""] =
    /^(-?)(\d)(?:\.(\d+))?e([+-])(\d+)$/.exec(text) ?? []
  if (exponent === "") return text
  return direction === "+"
    ? sign + whole + fraction.padEnd(Number(exponent), "0")
    : `${sign}0.${"0".repeat(Number(exponent) - 1)}${whole}${fraction}`
}

const noteScalar = (held: Held, value: unknown): void => {
  const text = String(value)
  if (value !== null && text.trim() !== "" && Number.isFinite(Number(value)))
    held.numbers.add(Number(value))
  for (const each of [text, text.trim(), withoutExponent(text)]) held.texts.add(each.toLowerCase())
  for (const each of millisOf(value)) held.millis.add(Math.floor(each))
}

/** Keys included: protocols can be keys. Of a record's fields, those that `without` does not name. */
const noteAll = (held: Held, value: unknown, without: (inner: object) => boolean): void => {
  if (!isHolder(value)) return noteScalar(held, value)
  for (const [key, inner] of Object.entries(value)) {
    if (!Array.isArray(value)) noteScalar(held, key)
    if (typeof inner === "boolean") noteScalar(held, `${key} ${inner}`)
    if (!isHolder(inner) || !without(inner)) noteAll(held, inner, without)
  }
}

/** Everything that the values hold. */
export const heldBy = (...values: ReadonlyArray<unknown>): Held => {
  const held = nothing()
  for (const value of values) noteAll(held, value, () => false)
  return held
}

/** A place in a response where a record may be: what it holds, and what stands beside it and what it is in. */
export interface Place {
  /** Without the numbers of elements: `$.positions[]`. */
  readonly path: string
  readonly value: unknown
  /** All that `held` was read from but the request, as text. */
  readonly text: string
  /** The response, or a list in it. */
  readonly isOfMany: boolean
  /** The last is the request's. */
  readonly held: ReadonlyArray<Held>
  readonly parent: Place | undefined
}

/** The places of a response, the response itself first. */
export const placesIn = (
  body: unknown,
  ...request: ReadonlyArray<unknown>
): ReadonlyArray<Place> => {
  const places: Array<Place> = []
  const visit = (
    value: unknown,
    key: string,
    { path, text, held }: Pick<Place, "path" | "text" | "held">,
    parent?: Place,
  ): void => {
    const place: Place = {
      path,
      value,
      text: `${path} ${JSON.stringify(value)} ${text}`,
      isOfMany: places.length === 0 || Array.isArray(value),
      held: [heldBy(value, ...(key === "" ? [] : [key])), ...held],
      parent,
    }
    places.push(place)
    if (Array.isArray(value)) {
      for (const inner of value) visit(inner, "", { path: `${path}[]`, text, held }, place)
    } else if (isHolder(value)) {
      for (const [name, inner] of Object.entries(value)) {
        const beside = nothing()
        // Lists are of other records.
        const isOther = (each: unknown): boolean => each === inner || Array.isArray(each)
        noteAll(beside, value, isOther)
        const others = JSON.stringify(value, (_, each) =>
          isHolder(each) && isOther(each) ? null : each,
        )
        visit(
          inner,
          name,
          { path: `${path}.${name}`, text: `${others} ${text}`, held: [beside, ...held] },
          place,
        )
      }
    }
  }
  visit(body, "", { path: "$", text: "", held: [heldBy(...request)] })
  return places
}

/** A key may be made of several fields, and of its place among equal ones. */
const isTextHeld = (text: string, isText: (text: string) => boolean): boolean => {
  // What is joined may hold what joins it: an instant in a hash's place has colons.
  const isJoined = (rest: string): boolean =>
    isText(rest) ||
    [...rest.matchAll(/ \/ |:/g)].some(
      ({ 0: joint, index }) =>
        isText(rest.slice(0, index)) && isJoined(rest.slice(index + joint.length)),
    )
  return isText(text) || isJoined(text.replace(/#\d+$/, ""))
}

const DAY = 86_400_000
/** The hash of a record without an id, in a column of a key. */
const HASH = /^[0-9a-f]{64}(#\d+)?$/
/** What a service says of a transaction that failed, and of one that did not. */
const FAILED = {
  true: /^(failed|failure|error|reverted|0x0|\w*(fail|error|revert)\w* true|\w*succe\w* false)$/,
  false: /^(success|successful|succeeded|ok|0x1|\w*(fail|error|revert)\w* false|\w*succe\w* true)$/,
}

/** `isKey`: the column is one of its table's key. */
export const isHeld = (
  { name, type, fields = [] }: Column,
  value: Value,
  held: ReadonlyArray<Held>,
  isKey = false,
): boolean => {
  if (value === null) return true
  const isText = (text: string): boolean => held.some(({ texts }) => texts.has(text))
  switch (type) {
    case "double":
    case "integer":
      return held.some(({ numbers }) => numbers.has(Number(value)))
    // Every digit: two amounts that a double can't tell apart are two.
    case "amount":
      return isText(String(value)) || held.some(({ numbers }) => isSafe(numbers, Number(value)))
    case "text": {
      const text = String(value).toLowerCase()
      return (isKey && HASH.test(text)) || isTextHeld(text, isText)
    }
    case "timestamp":
      return held.some(({ millis }) => millis.has(Math.floor(Number(value) / 1000)))
    case "date":
      return held.some(({ millis }) =>
        [...millis].some((each) => Math.floor(each / DAY) === Number(value)),
      )
    case "boolean":
      if (name !== "is_failed") return fields.some((field) => isText(`${field} ${value}`))
      return held.some(({ texts }) =>
        [...texts].some((text) => FAILED[value === true ? "true" : "false"].test(text)),
      )
    // Its own text is compared with the response's where it is written; what is within differs in order alone.
    case "json":
      return true
  }
}

const isSafe = (numbers: ReadonlySet<number>, value: number): boolean =>
  Number.isSafeInteger(value) && numbers.has(value)

/** Columns that are read from a field, and not made of several or of what is documented. */
export const readColumns = (table: Table): ReadonlyArray<Column> =>
  table.columns.filter(
    ({ fields, name }) => fields !== undefined && !derived.has(`${table.name}.${name}`),
  )

const derived = new Set([
  // Sums of the parts that the response gives of a protocol.
  "allocation_history.value",
  "allocation_history.share",
  "collateral_excess.target_health_factor",
  "otc_margin_requirements.required_unit",
  "otc_margin_requirements.posted_unit",
  "protocol_positions.position_key",
  "vaults.chain_type",
  "withdrawal_requests.request_id",
])

/** Tables whose rows are made of lists side by side, so that no place but the response holds all of a row. */
const ofLists = new Set(["apy_history"])

/** Columns that say whose rows they are. What is read from the records has a column with its own spelling beside it. */
const givenColumns = ({ columns }: Table): ReadonlyArray<Column> =>
  columns.filter(
    ({ fields, name }) =>
      fields === undefined &&
      /^(chain_id|\w+_address)$/.test(name) &&
      columns.every((other) => other.name !== `${name}_wire`),
  )

/** Every value of these columns that is of no request. A response may name the chain of what was requested. */
const foreign = (
  { table, columns }: Pick<Rows, "table" | "columns">,
  places: ReadonlyArray<Place>,
): ReadonlyArray<string> =>
  givenColumns(table).flatMap((column) => {
    const held = places
      .filter(({ parent }) => parent === undefined)
      .flatMap((whole) => whole.held.slice(column.name === "chain_id" ? 0 : -1))
    const values = new Set(columns[table.columns.indexOf(column)])
    return [...values].flatMap((value) =>
      isHeld(column, value, held)
        ? []
        : [`${table.name}.${column.name}: ${value} is of no request`],
    )
  })

/** Every value of the rows that the response does not hold at one place. Several rows are of several places. */
export const unheld = (
  { table, columns, length }: Pick<Rows, "table" | "columns" | "length">,
  places: ReadonlyArray<Place>,
): ReadonlyArray<string> => {
  const read = readColumns(table).map((column) => ({
    column,
    values: columns[table.columns.indexOf(column)] ?? [],
    isKey: table.key.includes(column.name),
  }))
  const possible =
    length > 1 && !ofLists.has(table.name) ? places.filter(({ isOfMany }) => !isOfMany) : places
  const missingAt = (row: number, { held }: Place): ReadonlyArray<string> =>
    read.flatMap(({ column, values, isKey }) => {
      const value = values[row] ?? null
      return isHeld(column, value, held, isKey)
        ? []
        : [`${table.name}.${column.name}: ${JSON.stringify(value).slice(0, 80)}`]
    })
  // Records follow each other as rows do, so the place after the last one is nearly always right.
  let next = 0
  const missing = Array.from({ length }, (_, row) => {
    let best: ReadonlyArray<string> | undefined
    for (let step = 0; step < possible.length; step += 1) {
      const at = (next + step) % possible.length
      const lacking = missingAt(row, possible[at]!)
      if (best === undefined || lacking.length < best.length) best = lacking
      if (lacking.length === 0) {
        next = at
        break
      }
    }
    return best ?? [`${table.name}: a row of nothing`]
  })
  return [...missing.flat(), ...foreign({ table, columns }, places)]
}
