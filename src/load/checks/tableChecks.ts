// The checks that follow from a table's declaration, so that each new table has them automatically.
import { SKEW_SECONDS } from "../../domain/run/checkResult.ts"
import {
  allColumns,
  storedKey,
  type Table,
  tableName,
  storedTables,
} from "../../domain/table/table.ts"
import { identifier, identifiers, instant } from "../sql/sql.ts"
import type { Check } from "./Check.ts"
import { constraintRules } from "./constraintRules.ts"
import {
  base,
  has,
  hasMonths,
  withLookUp,
  ofEntities,
  ofEntity,
  ofMonths,
  ofRows,
  ofWrittenKeys,
  type Rule,
  writtenAt,
} from "./tableRule.ts"

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
        ...withLookUp(
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
        ...withLookUp(
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
        ...withLookUp(
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
  ...constraintRules,
]

/** Every check of every table, versions included. */
export const tableChecks = (tables: ReadonlyArray<Table>): ReadonlyArray<Check> =>
  tables.flatMap(storedTables).flatMap((table) => rules.flatMap((rule) => rule(table) ?? []))
