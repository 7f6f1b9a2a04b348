// What the rules about a table's rows are made of: which rows are checked, and how they are screened.
import { allColumns, storedKey, type Table, tableName } from "../../domain/table/table.ts"
import { identifier, identifiers, instant, inSchema } from "../sql/sql.ts"
import { isBetween } from "../tables/months.ts"
import type { Check, LookUp, Scope, Screening } from "./Check.ts"

export type Rule = (table: Table) => Check | ReadonlyArray<Check> | undefined

export const has = (table: Table, column: string): boolean =>
  allColumns(table).some(({ name }) => name === column)

/** The column with the time a row was written, if there is one. */
export const writtenAt = (table: Table): string | undefined =>
  ["_superseded_at", "_updated_at"].find((column) => has(table, column))

const isWritten = (table: Table, { since }: Scope, alias = "t"): string => {
  const column = writtenAt(table)
  return since === undefined || column === undefined
    ? "true"
    : `${alias}.${identifier(column)} >= ${instant(since)}`
}

/** All rows of the keys that were written, which may have older ones. */
export const ofWrittenKeys = (table: Table, key: ReadonlyArray<string>, scope: Scope): string =>
  scope.since === undefined
    ? `${inSchema(table)} t`
    : `${inSchema(table)} t semi join (
         select ${identifiers(key)} from ${inSchema(table)} w where ${isWritten(table, scope, "w")}
       ) k using (${identifiers(key)})`

/** Equal keys are in one month if the event time is part of the key. */
export const hasMonths = (table: Table): boolean =>
  table.time !== undefined && storedKey(table).includes(table.time)

export const ofMonths = (table: Table, { from, to }: NonNullable<Scope["months"]>): string => {
  const time = `t.${identifier(table.time ?? "")}`
  return `${inSchema(table)} t where ${isBetween(time, [from, to])}`
}

export const base = (table: Table, rule: string, description: string) => ({
  name: `${tableName(table)}.${rule}`,
  description,
  severity: "error" as const,
  tolerance: null,
  needs: [tableName(table)],
  isIncremental: writtenAt(table) !== undefined,
})

/** All rows of the entities that were written, of a slowly changing table, with what the next one begins with. */
export const ofEntities = (
  table: Table,
  scope: Scope,
  flags: ReadonlyArray<string> = [],
): string => {
  const key = identifiers(table.key)
  const columns = [identifiers(table.key, "t"), "t.valid_from, t.valid_to, t.is_current", ...flags]
  return `(select *, count(*) filter (is_current) over (partition by ${key}) as current_rows,
      lead(valid_from) over (partition by ${key} order by valid_from) as next_valid_from
    from (select ${columns.join(", ")} from ${ofWrittenKeys(table, table.key, scope)})) t`
}

const writtenRows = (table: Table, scope: Scope, flags: ReadonlyArray<string>): string =>
  `(select ${flags.join(", ")} from ${inSchema(table)} t where ${isWritten(table, scope)})`

const screening = (
  table: Table,
  rule: Pick<Screening, "mayOffend" | "lookUp" | "isOfStoredRow">,
): Required<Pick<Check, "screening">> => ({
  screening: {
    ...rule,
    from: (scope, flags) =>
      (table.mode === "slowly_changing" ? ofEntities : writtenRows)(table, scope, flags),
  },
})

export const ofEntity = (table: Table, mayOffend: string) =>
  screening(table, { mayOffend: () => mayOffend, isOfStoredRow: false })

/** A rule about single rows; `columns` of offending rows are shown next to their key. */
export const ofRows = (
  table: Table,
  offends: (scope: Scope) => string,
  columns: ReadonlyArray<string> = [],
): Pick<Check, "sql" | "screening"> => {
  const shown = [identifiers(storedKey(table), "t"), ...columns].join(", ")
  return {
    ...screening(table, {
      mayOffend: (scope) => `${isWritten(table, scope)} and ${offends(scope)}`,
      isOfStoredRow: true,
    }),
    sql: (scope) => `select ${shown} from ${inSchema(table)} t
      where ${isWritten(table, scope)} and ${offends(scope)}`,
  }
}

/** As `ofRows`, of a value that must be known. */
export const withLookUp = (
  table: Table,
  lookUp: LookUp,
  value: string,
  ...rule: readonly [offends: (scope: Scope) => string, columns: ReadonlyArray<string>]
): Pick<Check, "sql" | "screening"> => ({
  ...ofRows(table, ...rule),
  ...screening(table, {
    mayOffend: (scope) => `case when ${isWritten(table, scope)} then ${value} end`,
    lookUp,
    isOfStoredRow: true,
  }),
})
