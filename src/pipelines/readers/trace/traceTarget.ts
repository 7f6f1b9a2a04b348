// Finds the row that holds a figure: the table or mart that was named, and the one row that was meant.
import * as Effect from "effect/Effect"
import { didYouMean } from "../../../config/read/nearest.ts"
import type { Column } from "../../../domain/table/column.ts"
import { counted } from "../../../domain/values/numbers.ts"
import { type Table, tableName, versionsOf } from "../../../domain/table/table.ts"
import { canonicalSpelling } from "../../../domain/values/address.ts"
import { UsageError } from "../../../domain/UsageError.ts"
import { type Mart, marts } from "../../../load/marts/marts.ts"
import type { PublishedCopy } from "../../../load/published/read/PublishedCopy.ts"
import {
  type Condition,
  hasValues,
  isWithin,
  leftOutAt,
  newestRows,
  type Relation,
  timesOf,
  type TimeSpan,
} from "./tracedRows.ts"
import { tables } from "../../pipelines.ts"
import type { Row } from "../runs.ts"

/** As precise as it was typed. */
export interface Moment extends TimeSpan {
  readonly text: string
}

export interface TraceOptions {
  /** A mart or a table, with or without its schema. */
  readonly table: string
  /** In its canonical spelling. */
  readonly vault: string | undefined
  readonly moment: Moment | undefined
  /** Values of other columns of the key. */
  readonly key: Readonly<Record<string, string>>
  /** How to name a row more precisely: with a flag of the command, or a parameter of the address. */
  readonly named: (column: string, value: string, isTime: boolean) => string
}

export interface Target {
  /** With its schema. */
  readonly name: string
  readonly mart: Mart | undefined
  readonly table: Table | undefined
  readonly key: ReadonlyArray<string>
  readonly columns: ReadonlyArray<string>
  readonly row: Row
}

interface Named extends Relation {
  readonly mart: Mart | undefined
  readonly table: Table | undefined
  readonly key: ReadonlyArray<string>
  readonly columns: ReadonlyArray<string>
}

const isTime = (type: string): boolean => type === "timestamp" || type === "date"

const nameMart = (mart: Mart): Named => ({
  name: `mart.${mart.name}`,
  mart,
  table: undefined,
  key: mart.key,
  columns: mart.columns.map(({ name }) => name),
  time: mart.columns.find(({ name, type }) => mart.key.includes(name) && isTime(type))?.name,
})

const timeOf = ({ mode, time, key, columns }: Table): string | undefined =>
  mode === "slowly_changing"
    ? "valid_from"
    : (time ?? columns.find(({ name, type }: Column) => key.includes(name) && isTime(type))?.name)

const nameTable = (table: Table): Named => ({
  name: tableName(table),
  mart: undefined,
  table,
  key: table.key,
  columns: table.columns.map(({ name }) => name),
  time: timeOf(table),
})

/** Tables whose rows name the response they were read from. */
const isTraceable = ({ schema, mode }: Table): boolean =>
  schema === "core" && (mode === "history" || mode === "slowly_changing")

const traceable = (): ReadonlyArray<Named> => [
  ...marts.filter(({ from }) => from !== undefined).map(nameMart),
  ...tables.filter(isTraceable).map(nameTable),
]

export const traceableNames = (): ReadonlyArray<string> => traceable().map(({ name }) => name)

const bare = (name: string): string => name.slice(name.indexOf(".") + 1)

const findNamed = (typed: string): Effect.Effect<Named, UsageError> => {
  const all = traceable()
  const found =
    all.find(({ name }) => name === typed) ?? all.find(({ name }) => bare(name) === typed)
  if (found !== undefined) return Effect.succeed(found)
  const isUntraceable = marts.some(({ name }) => name === typed || `mart.${name}` === typed)
  return Effect.fail(
    isUntraceable
      ? new UsageError({
          why: `${typed} does not record which rows it is made from.`,
          advice: `Those that do: ${marts.flatMap(({ name, from }) => (from === undefined ? [] : [name])).join(", ")}, and every table of core.`,
        })
      : new UsageError({
          why: `There is no table \`${typed}\` to trace${
            didYouMean(
              typed,
              all.flatMap(({ name }) => [name, bare(name)]),
            ) || "."
          }`,
          advice: "`vaulthouse tables` lists tables and marts.",
        }),
  )
}

/** The condition without the time. */
const entityCondition = (
  { name, columns }: Named,
  { vault, key }: TraceOptions,
): Effect.Effect<Condition, UsageError> => {
  const wanted = {
    ...(vault === undefined ? {} : { vault_address: canonicalSpelling(vault) }),
    ...key,
  }
  const unknown = Object.keys(wanted).find((column) => !columns.includes(column))
  if (unknown === "vault_address" && key["vault_address"] === undefined) {
    return Effect.fail(
      new UsageError({
        why: `${name} is not about single vaults, so --vault selects no row of it.`,
        advice: `Name its key with --key NAME=VALUE; \`vaulthouse tables ${name}\` lists its columns.`,
      }),
    )
  }
  if (unknown !== undefined) {
    return Effect.fail(
      new UsageError({
        why: `${name} has no column \`${unknown}\`${didYouMean(unknown, columns) || "."}`,
        advice: `\`vaulthouse tables ${name}\` lists its columns.`,
      }),
    )
  }
  return Effect.succeed(hasValues(wanted))
}

const text = (value: unknown): string =>
  String(value).replace(/^(.{10})T(.{8}).*Z$/, (_, day: string, clock: string) =>
    clock === "00:00:00" ? day : `${day}T${clock}`,
  )

/** If there is no such row, fails with those there are; if there are several, with how to name one. */
export const findTarget = Effect.fnUntraced(function* (copy: PublishedCopy, options: TraceOptions) {
  const named = yield* findNamed(options.table)
  if (options.moment !== undefined && named.time === undefined) {
    return yield* new UsageError({
      why: `${named.name} has no row of ${options.moment.text}: none of its rows has a time.`,
      advice: "Leave out the time.",
    })
  }
  const entity = yield* entityCondition(named, options)
  const isSlow = named.table?.mode === "slowly_changing"
  const conditions = [entity, isWithin(named, isSlow, options.moment)]
  const { time } = named
  // The newest, unless another was named.
  const rows = yield* newestRows(copy, named, conditions)
  const [first] = rows
  if (first === undefined) return yield* noRow(copy, named, options, entity, conditions)
  const sameTime =
    options.moment === undefined && time !== undefined
      ? rows.filter((row) => row[time] === first[time])
      : rows
  if (sameTime.length > 1) return yield* severalRows(named, sameTime, options)
  return { ...named, row: first } satisfies Target
})

const severalRows = (
  { name, key, time }: Named,
  rows: ReadonlyArray<Row>,
  options: TraceOptions,
): Effect.Effect<never, UsageError> => {
  const ofKey = key.filter((column) => new Set(rows.map((row) => row[column])).size > 1)
  // Versions of one thing differ in when they began, exactly: a second may have seen two.
  const areVersions = ofKey.length === 0 && time !== undefined
  const differing = areVersions ? [time] : ofKey
  // The vault has a flag of its own, which is easier to type.
  const column = differing.find((each) => each === "vault_address") ?? differing[0] ?? ""
  const shownAs = areVersions ? String : text
  const values = [...new Set(rows.map((row) => shownAs(row[column])))]
  const shown = `${values.slice(0, 5).join(", ")}${values.length > 5 ? ", …" : ""}`
  const example = options.named(column, values[0] ?? "…", column === time)
  return Effect.fail(
    new UsageError({
      why: `${rows.length === 100 ? "100 or more" : rows.length} rows of ${name} match: they differ in ${differing.join(" and ")} (${column}: ${shown}).`,
      advice: `Name one, for example with ${example}.`,
    }),
  )
}

const noRow = Effect.fnUntraced(function* (
  copy: PublishedCopy,
  named: Named,
  { moment, vault }: TraceOptions,
  entity: Condition,
  conditions: ReadonlyArray<Condition>,
) {
  const { name, table } = named
  const leftOut =
    table?.mergeKey === undefined ? undefined : yield* leftOutAt(copy, table, conditions)
  if (typeof leftOut === "string" && table !== undefined) {
    return yield* new UsageError({
      why: `${name} no longer has such a row: the response of ${leftOut} left it out.`,
      advice: `${tableName(versionsOf(table))} keeps it, and mart.${table.name}_as_of has what was known at an instant.`,
    })
  }
  const range = yield* timesOf(copy, named, entity, moment)
  const whose = vault === undefined ? "" : ` of vault ${vault}`
  if (Number(range["rows"] ?? 0) === 0) {
    return yield* new UsageError({
      why: `${name} has no row${whose}${vault === undefined ? " like that" : ""}.`,
      advice:
        vault === undefined
          ? `\`vaulthouse query "from ${name} limit 10"\` shows some that it has.`
          : '`vaulthouse query "select chain_id, vault_address, vault_name from mart.vault_latest"` lists the vaults.',
    })
  }
  const neighbours = [range["before"], range["after"]]
    .filter((at) => at !== null && at !== undefined)
    .map(text)
  return yield* new UsageError({
    why: `${name} has no row${whose} at ${moment?.text ?? "any time"}; it has ${counted(Number(range["rows"]), "row")} from ${text(range["first"])} to ${text(range["last"])}.`,
    advice: `The nearest ${neighbours.length > 1 ? "are" : "is"} ${neighbours.join(" and ")}.`,
  })
})
