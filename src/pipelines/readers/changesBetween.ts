// The changes of a table's rows over a span of runs, as SQL generated from the table's declaration. Its parameters are
// $after and $until, the starts of the runs around the span, and $vault for one vault alone.
import { allColumns, type Table, versionsOf } from "../../domain/table/table.ts"
import { identifier, identifiers, inSchema } from "../../load/sql/sql.ts"

const spanSql = `span as materialized (
    select run_id from ops.runs where started_at > $after and started_at <= $until
  ),
  later as materialized (select run_id from ops.runs where started_at > $until),
  -- Runs of a file do not overlap: what they observed lies between their starts. Those of a lake may (docs/cli.md).
  bounds as (
    select min(started_at) filter (started_at > $after) as span_at,
      min(started_at) filter (started_at > $until) as later_at from ops.runs
  )`

const onVault = (isOfVault: boolean): string => (isOfVault ? "vault_address = $vault" : "true")

/**
 * For the keys that the span wrote or left out of their set: the values known at its end, and the last ones known
 * before it.
 */
const historySql = (table: Table, isOfVault: boolean): string => {
  const columns = identifiers(allColumns(table).map(({ name }) => name))
  const versions = inSchema(versionsOf(table))
  return `after_span as (
    select ${columns} from ${inSchema(table)}
    where _run_id in (from span) and ${onVault(isOfVault)}
    union all
    select ${columns} from ${versions}
    where _run_id in (from span) and _superseded_by_run_id in (from later)
      and ${onVault(isOfVault)}
  ),
  before_span as (
    select ${columns} from ${versions}
    where _superseded_by_run_id in (from span) and _run_id not in (from span)
      and _run_id not in (from later) and ${onVault(isOfVault)}
  )`
}

/** The content that was current just before the span, and at its end. */
const slowlyChangingSql = (table: Table, isOfVault: boolean): string => {
  const columns = identifiers(allColumns(table).map(({ name }) => name))
  const currentAt = (at: string): string => `select ${columns} from ${inSchema(table)}, bounds
    where ${onVault(isOfVault)} and (${at} is null or valid_from < ${at})
      and (valid_to is null or valid_to >= ${at})`
  return `after_span as (${currentAt("later_at")}), before_span as (${currentAt("span_at")})`
}

/**
 * One row per key that changed: `change` (new, revised, ended), `key_0…` in the order of the table's key,
 * `before_0…` and `after_0…` in the order of its other columns.
 */
export const changesOf = (table: Table, isOfVault: boolean): string => {
  const content = table.columns.filter(({ name }) => !table.key.includes(name))
  const isHistory = table.mode === "history"
  const keys = table.key.map(
    (name, at) => `coalesce(a.${identifier(name)}, b.${identifier(name)}) as key_${at}`,
  )
  const values = content.flatMap(({ name }, at) => [
    `b.${identifier(name)} as before_${at}`,
    `a.${identifier(name)} as after_${at}`,
  ])
  const first = identifier(table.key[0] ?? "")
  const differs = content.map(
    ({ name }) => `a.${identifier(name)} is distinct from b.${identifier(name)}`,
  )
  return `with ${spanSql},
  ${isHistory ? historySql(table, isOfVault) : slowlyChangingSql(table, isOfVault)}
  select case when b.${first} is null then 'new' when a.${first} is null then 'ended'
      else 'revised' end as change,
    ${[...keys, ...values].join(", ")}
  from after_span a full outer join before_span b
    using (${identifiers(table.key)})
  where b.${first} is null or a.${first} is null or ${["false", ...differs].join(" or ")}`
}
