// The checks that follow from a mart's declaration: its key, the ranges and values of its columns, what it refers to.
import { type Mart, type MartReference, marts } from "../marts/marts.ts"
import { identifier, identifiers, literal } from "../sql/sql.ts"
import type { Check, Screening } from "./Check.ts"
import { notAccepted, outside, rangeText } from "./constraintRules.ts"

const sqlName = ({ name }: Mart): string => `mart.${identifier(name)}`

/** A mart contradicts itself if it breaks a rule: the values of the service are checked in its tables. */
const check = (
  mart: Mart,
  rule: string,
  description: string,
  screening: Pick<Screening, "mayOffend" | "isUnique">,
  sql: string,
): Check => ({
  name: `mart.${mart.name}.${rule}`,
  description,
  severity: "error",
  tolerance: null,
  needs: [`mart.${mart.name}`],
  // A mart is computed whole.
  isIncremental: false,
  // It is computed once for all its rules.
  screening: { ...screening, from: () => `${sqlName(mart)} t`, isOfStoredRow: false },
  sql: () => sql,
})

const uniqueKey = (mart: Mart): Check => {
  const key = identifiers(mart.key)
  const isNull = mart.key.map((name) => `${identifier(name)} is null`).join(" or ")
  return check(
    mart,
    "unique_key",
    `One row for each ${mart.key.join(", ")}, none of them null`,
    {
      mayOffend: () => `case when not (${isNull}) then hash(${key}) end`,
      isUnique: true,
    },
    `select ${key}, count(*)::bigint as "rows" from ${sqlName(mart)} group by ${key}
     having count(*) > 1 or ${isNull}`,
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
  const isBroken = broken.map(({ condition }) => condition).join(" or ")
  const shown = broken.map(
    ({ name, condition }) =>
      `case when ${condition} then ${literal(name)} || '=' || ${identifier(name)}::varchar end`,
  )
  return [
    check(
      mart,
      "values",
      `Values are possible (${broken.map(({ name, rule }) => `${name}: ${rule}`).join("; ")})`,
      { mayOffend: () => isBroken },
      `select ${identifiers(mart.key)}, concat_ws(', ', ${shown.join(", ")}) as broken_values
       from ${sqlName(mart)} where ${isBroken}`,
    ),
  ]
}

/** Several columns as one value. */
const together = (columns: ReadonlyArray<string>): string =>
  `{${columns.map((column, at) => `c${at}: ${column}`).join(", ")}}`

const reference = (mart: Mart, { columns, to }: MartReference): Check => {
  const name = to.slice(to.indexOf(".") + 1)
  const here = columns.map((column) => `t.${identifier(column)}`)
  const there = columns.map((column) => `o.${identifier(column)}`)
  const isPresent = here.map((column) => `${column} is not null`).join(" and ")
  return check(
    mart,
    `${name}_known`,
    `${columns.join(", ")} are those of a row of ${to}`,
    {
      mayOffend: () =>
        `${isPresent} and ${together(here)} not in (select ${together(there)} from ${to} o)`,
    },
    `select distinct ${here.join(", ")} from ${sqlName(mart)} t
     anti join ${to} o on ${here.map((column, at) => `${column} = ${there[at]}`).join(" and ")}
     where ${isPresent}`,
  )
}

export const martChecks: ReadonlyArray<Check> = marts.flatMap((mart) => [
  uniqueKey(mart),
  ...values(mart),
  ...(mart.references ?? []).map((each) => reference(mart, each)),
])
