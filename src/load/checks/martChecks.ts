// The checks that follow from a mart's declaration: its key, the ranges and values of its columns, what it refers to.
import { type Mart, type MartReference, marts } from "../marts/marts.ts"
import { identifier, identifiers, literal } from "../sql/sql.ts"
import type { Check } from "./Check.ts"
import { notAccepted, outside, rangeText } from "./constraintRules.ts"

const sqlName = ({ name }: Mart): string => `mart.${identifier(name)}`

/** A mart contradicts itself if it breaks a rule: the values of the service are checked in its tables. */
const check = (mart: Mart, rule: string, description: string, sql: string): Check => ({
  name: `mart.${mart.name}.${rule}`,
  description,
  severity: "error",
  tolerance: null,
  needs: [`mart.${mart.name}`],
  // A mart is computed whole.
  isIncremental: false,
  sql: () => sql,
})

const uniqueKey = (mart: Mart): Check => {
  const key = identifiers(mart.key)
  return check(
    mart,
    "unique_key",
    `One row for each ${mart.key.join(", ")}, none of them null`,
    `select ${key}, count(*)::bigint as "rows" from ${sqlName(mart)} group by ${key}
     having count(*) > 1 or ${mart.key.map((name) => `${identifier(name)} is null`).join(" or ")}`,
  )
}

const values = (mart: Mart): ReadonlyArray<Check> => {
  const broken = mart.columns.flatMap(({ name, range, accepted }) => [
    ...(range === undefined
      ? []
      : [{ name, rule: rangeText(range), condition: outside(identifier(name), range) }]),
    ...(accepted === undefined
      ? []
      : [
          {
            name,
            rule: accepted.join(", "),
            condition: notAccepted(identifier(name), accepted),
          },
        ]),
  ])
  if (broken.length === 0) return []
  const shown = broken.map(
    ({ name, condition }) =>
      `case when ${condition} then ${literal(name)} || '=' || ${identifier(name)}::varchar end`,
  )
  return [
    check(
      mart,
      "values",
      `Values are possible (${broken.map(({ name, rule }) => `${name}: ${rule}`).join("; ")})`,
      `select ${identifiers(mart.key)}, concat_ws(', ', ${shown.join(", ")}) as broken_values
       from ${sqlName(mart)} where ${broken.map(({ condition }) => condition).join(" or ")}`,
    ),
  ]
}

const reference = (mart: Mart, { columns, to, as = columns }: MartReference): Check => {
  const name = to.slice(to.indexOf(".") + 1)
  const here = columns.map((column) => `m.${identifier(column)}`)
  return check(
    mart,
    `${name}_known`,
    `${columns.join(", ")} are those of a row of ${to}`,
    `select distinct ${here.join(", ")} from ${sqlName(mart)} m
     anti join ${to} o on ${here.map((column, at) => `${column} = o.${identifier(as[at] ?? "")}`).join(" and ")}
     where ${here.map((column) => `${column} is not null`).join(" and ")}`,
  )
}

export const martChecks: ReadonlyArray<Check> = marts.flatMap((mart) => [
  uniqueKey(mart),
  ...values(mart),
  ...(mart.references ?? []).map((each) => reference(mart, each)),
])
