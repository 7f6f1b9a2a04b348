// The checks that follow from a table's declaration, so that each new table has them automatically.
import { allColumns, storedKey, type Table, tableName } from "../../domain/table/table.ts"
import { storedTables } from "../tables/ddl.ts"
import { identifier, identifiers, instant } from "../sql/sql.ts"
import type { Check, LookUp, Scope, Screening } from "./Check.ts"

/** Clocks of the service and of this machine may differ; a day's fact may be dated at its end. */
const SKEW_SECONDS = 3600

type Rule = (table: Table) => Check | undefined

const sqlName = (table: Table): string => `${identifier(table.schema)}.${identifier(table.name)}`

const has = (table: Table, column: string): boolean =>
  allColumns(table).some(({ name }) => name === column)

/** The column with the time a row was written, if there is one. */
const writtenAt = (table: Table): string | undefined =>
  ["_superseded_at", "_updated_at"].find((column) => has(table, column))

const isWritten = (table: Table, { since }: Scope, alias = "t"): string => {
  const column = writtenAt(table)
  return since === undefined || column === undefined
    ? "true"
    : `${alias}.${identifier(column)} >= ${instant(since)}`
}

/** All rows of the keys that were written, which may have older ones. */
const ofWrittenKeys = (table: Table, key: ReadonlyArray<string>, scope: Scope): string =>
  scope.since === undefined
    ? `${sqlName(table)} t`
    : `${sqlName(table)} t semi join (
         select ${identifiers(key)} from ${sqlName(table)} w where ${isWritten(table, scope, "w")}
       ) k using (${identifiers(key)})`

/** Equal keys are in one month if the event time is part of the key. */
const hasMonths = (table: Table): boolean =>
  table.time !== undefined && storedKey(table).includes(table.time)

const ofMonths = (table: Table, { from, to }: NonNullable<Scope["months"]>): string => {
  const time = `t.${identifier(table.time ?? "")}`
  return `${sqlName(table)} t
    where ${time} >= date '${from}-01' and ${time} < date '${to}-01' + interval 1 month`
}

const base = (table: Table, rule: string, description: string) => ({
  name: `${tableName(table)}.${rule}`,
  description,
  severity: "error" as const,
  tolerance: null,
  needs: [tableName(table)],
  isIncremental: writtenAt(table) !== undefined,
})

/** All rows of the entities that were written, of a slowly changing table, with what the next one begins with. */
const ofEntities = (table: Table, scope: Scope, flags: ReadonlyArray<string> = []): string => {
  const key = identifiers(table.key)
  const columns = [identifiers(table.key, "t"), "t.valid_from, t.valid_to, t.is_current", ...flags]
  return `(select *, count(*) filter (is_current) over (partition by ${key}) as current_rows,
      lead(valid_from) over (partition by ${key} order by valid_from) as next_valid_from
    from (select ${columns.join(", ")} from ${ofWrittenKeys(table, table.key, scope)})) t`
}

const writtenRows = (table: Table, scope: Scope, flags: ReadonlyArray<string>): string =>
  `(select ${flags.join(", ")} from ${sqlName(table)} t where ${isWritten(table, scope)})`

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

const ofEntity = (table: Table, mayOffend: string) =>
  screening(table, { mayOffend: () => mayOffend, isOfStoredRow: false })

/** A rule about single rows; `columns` of offending rows are shown next to their key. */
const ofRows = (
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
    sql: (scope) => `select ${shown} from ${sqlName(table)} t
      where ${isWritten(table, scope)} and ${offends(scope)}`,
  }
}

/** As `ofRows`, of a value that must be known. */
const known = (
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

const uniqueKey: Rule = (table) => ({
  ...base(table, "unique_key", `One row for each ${storedKey(table).join(", ")}`),
  ...(hasMonths(table) ? { monthsOf: table } : {}),
  ...(table.mode === "slowly_changing"
    ? ofEntity(table, "t.next_valid_from is not distinct from t.valid_from")
    : {}),
  sql: (scope) => `select ${identifiers(storedKey(table), "t")}, count(*)::bigint as "rows"
    from ${
      scope.months === undefined
        ? ofWrittenKeys(table, storedKey(table), scope)
        : ofMonths(table, scope.months)
    }
    group by ${identifiers(storedKey(table), "t")} having count(*) > 1`,
})

const notNull: Rule = (table) => {
  const required = allColumns(table).filter((column) => column.required === true)
  if (required.length === 0) return undefined
  const nulls = required.map(
    ({ name }) => `case when t.${identifier(name)} is null then '${name}' end`,
  )
  return {
    ...base(table, "not_null", "No null in a required column"),
    ...ofRows(
      table,
      () => `(${required.map(({ name }) => `t.${identifier(name)} is null`).join(" or ")})`,
      [`concat_ws(', ', ${nulls.join(", ")}) as null_columns`],
    ),
  }
}

const oneCurrent: Rule = (table) =>
  table.mode !== "slowly_changing"
    ? undefined
    : {
        ...base(table, "one_current", `At most one current row for each ${table.key.join(", ")}`),
        ...ofEntity(table, "t.current_rows > 1"),
        sql: (scope) => `select ${identifiers(table.key, "t")},
            count(*) filter (t.is_current)::bigint as current_rows
          from ${ofWrittenKeys(table, table.key, scope)}
          group by ${identifiers(table.key, "t")} having count(*) filter (t.is_current) > 1`,
      }

const isBrokenInterval = `(t.valid_to <= t.valid_from
  or t.is_current is distinct from (t.valid_to is null)
  or t.next_valid_from < coalesce(t.valid_to, 'infinity'::timestamp))`

const intervals: Rule = (table) =>
  table.mode !== "slowly_changing"
    ? undefined
    : {
        ...base(
          table,
          "intervals",
          "valid_from is before valid_to, a row is current as long as it has no end, and none overlaps the next",
        ),
        ...ofEntity(table, isBrokenInterval),
        sql: (
          scope,
        ) => `select ${identifiers(table.key, "t")}, t.valid_from, t.valid_to, t.is_current,
            t.next_valid_from
          from ${ofEntities(table, scope)} where ${isBrokenInterval}`,
      }

const superseded: Rule = (table) =>
  !has(table, "_superseded_at")
    ? undefined
    : {
        ...base(table, "superseded_later", "A version was superseded after it was written"),
        ...ofRows(table, () => "coalesce(t._superseded_at <= t._updated_at, false)", [
          "t._updated_at",
        ]),
      }

const runKnown: Rule = (table) =>
  !has(table, "_run_id")
    ? undefined
    : {
        ...base(
          table,
          "run_known",
          "_run_id is a run of ops.runs, or of the archive a warehouse was rebuilt from",
        ),
        // The run ids of archived responses are looked up only if there are such rows.
        ...known(
          table,
          "known_runs",
          "t._run_id",
          () => `coalesce(t._run_id not in (
            select run_id from ops.runs union select run_id from raw.responses), false)`,
          ["t._run_id"],
        ),
      }

const responseKnown: Rule = (table) =>
  !has(table, "_response_id")
    ? undefined
    : {
        ...base(
          table,
          "response_known",
          "_response_id is an archived response of raw.responses that landed",
        ),
        ...known(
          table,
          "landed_responses",
          "t._response_id",
          // If no response landed, `null not in` is true.
          ({ since }) => `(t._response_id is not null and t._response_id not in (
            select response_id from raw.responses r
            where r.is_landed ${since === undefined ? "" : `and r.received_at >= ${instant(since)}`}
          ))`,
          ["t._response_id"],
        ),
        // A superseded version keeps the response it was read from, which may be of any run.
        isIncremental: writtenAt(table) === "_updated_at",
      }

const vaultKnown: Rule = (table) =>
  tableName(table) === "core.vaults" || !table.key.includes("vault_address")
    ? undefined
    : {
        ...base(table, "vault_known", "vault_address is a vault of core.vaults"),
        ...known(
          table,
          "known_vaults",
          // Null is no vault.
          "coalesce(t.vault_address, '')",
          () => "coalesce(t.vault_address not in (select vault_address from core.vaults), true)",
          [],
        ),
      }

const notInFuture: Rule = (table) => {
  const { time } = table
  if (time === undefined || table.mode !== "history" || table.schema !== "core") return undefined
  return {
    ...base(
      table,
      "not_in_future",
      `${time} is not later than the response it came in; the tolerance is in seconds, for clocks that differ`,
    ),
    tolerance: SKEW_SECONDS,
    ...ofRows(
      table,
      () =>
        `coalesce(t.${identifier(time)}::timestamp > t._updated_at + interval ${SKEW_SECONDS} second, false)`,
      ["t._updated_at"],
    ),
  }
}

const rules: ReadonlyArray<Rule> = [
  uniqueKey,
  notNull,
  oneCurrent,
  intervals,
  superseded,
  runKnown,
  responseKnown,
  vaultKnown,
  notInFuture,
]

/** Every check of every table, versions included. */
export const tableChecks = (tables: ReadonlyArray<Table>): ReadonlyArray<Check> =>
  tables
    .flatMap(storedTables)
    .flatMap((table) => rules.map((rule) => rule(table)).filter((check) => check !== undefined))
