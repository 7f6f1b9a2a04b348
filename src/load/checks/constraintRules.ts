// The rules that columns declare (`Constraints` of domain/table/column.ts) and what any figure and any instant keeps.
import type { Column, Range, Reference } from "../../domain/table/column.ts"
import { allColumns, type Table } from "../../domain/table/table.ts"
import { identifier, identifiers, literal } from "../sql/sql.ts"
import type { LookUp } from "./Check.ts"
import { base, has, ofRows, type Rule, withLookUp } from "./tableRule.ts"
import { type Severity, SKEW_SECONDS } from "../../domain/run/checkResult.ts"
import { FIRST_YEAR } from "../../domain/subject/firstDay.ts"

const isSuperseded = (table: Table): boolean => has(table, "_superseded_at")

/** What a column breaks, as a condition over a stored row `t`. */
interface Broken {
  readonly name: string
  readonly condition: string
}

const columnsOf = (table: Table): ReadonlyArray<Column> =>
  isSuperseded(table) ? [] : allColumns(table)

/** One check for all columns of a table that declare the rule. Of slowly changing tables, current rows are checked. */
const aboutColumns = (
  table: Table,
  rule: string,
  severity: Severity,
  description: string,
  broken: ReadonlyArray<Broken>,
) => {
  if (broken.length === 0) return undefined
  const current = table.mode === "slowly_changing" ? "t.is_current and " : ""
  const any = broken.map(({ condition }) => `coalesce(${condition}, false)`).join(" or ")
  const values = broken.map(
    ({ name, condition }) =>
      `case when ${condition} then ${literal(name)} || '=' || t.${identifier(name)}::varchar end`,
  )
  return {
    ...base(table, rule, description),
    severity,
    ...ofRows(table, () => `${current}(${any})`, [
      `concat_ws(', ', ${values.join(", ")}) as broken_values`,
    ]),
  }
}

/** The condition that a value is outside of a range; null is in it. */
export const outside = (column: string, { from, to }: Range): string =>
  [
    ...(from === undefined ? [] : [`${column} < ${from}`]),
    ...(to === undefined ? [] : [`${column} > ${to}`]),
  ].join(" or ")

export const notAccepted = (column: string, accepted: ReadonlyArray<string>): string =>
  `lower(${column}) not in (${accepted.map((value) => literal(value.toLowerCase())).join(", ")})`

export const rangeText = ({ from, to }: Range): string =>
  from === undefined ? `at most ${to}` : to === undefined ? `at least ${from}` : `${from} to ${to}`

const described = (
  columns: ReadonlyArray<Column>,
  text: (column: Column) => string | undefined,
): string =>
  columns
    .flatMap((column) => {
      const found = text(column)
      return found === undefined ? [] : [`${column.name}: ${found}`]
    })
    .join("; ")

const finite: Rule = (table) =>
  table.schema !== "core"
    ? undefined
    : aboutColumns(
        table,
        "finite",
        "error",
        "Every figure is a number: neither NaN nor infinite",
        columnsOf(table)
          .filter(({ type }) => type === "double")
          .map(({ name }) => ({ name, condition: `not isfinite(t.${identifier(name)})` })),
      )

const ranges =
  (field: "range" | "plausible", severity: Severity, description: string): Rule =>
  (table) => {
    const columns = columnsOf(table)
    return aboutColumns(
      table,
      field === "range" ? "range" : "plausible_range",
      severity,
      `${description} (${described(columns, (column) => column[field] && rangeText(column[field]))})`,
      columns.flatMap(({ name, [field]: range }) =>
        range === undefined ? [] : [{ name, condition: outside(`t.${identifier(name)}`, range) }],
      ),
    )
  }

const accepted: Rule = (table) => {
  const columns = columnsOf(table)
  return aboutColumns(
    table,
    "accepted_values",
    "warn",
    `Values are those that the document names (${described(columns, (column) => column.accepted?.join(", "))})`,
    columns.flatMap(({ name, accepted: values }) =>
      values === undefined
        ? []
        : [{ name, condition: notAccepted(`t.${identifier(name)}`, values) }],
    ),
  )
}

const isInstant = ({ name, type }: Column): boolean =>
  (type === "timestamp" || type === "date") && !name.startsWith("_")

const beforeAll = ({ name }: Column): string => `t.${identifier(name)} < date '${FIRST_YEAR}-01-01'`

/** The event time, by which rows are filed. */
const eventTime: Rule = (table) =>
  table.schema !== "core" || table.time === undefined
    ? undefined
    : aboutColumns(
        table,
        "in_platform_life",
        "error",
        `No fact is older than ${FIRST_YEAR}, when there was no such platform`,
        columnsOf(table)
          .filter((column) => column.name === table.time && isInstant(column))
          .map((column) => ({ name: column.name, condition: beforeAll(column) })),
      )

const instants: Rule = (table) =>
  table.schema !== "core"
    ? undefined
    : aboutColumns(
        table,
        "plausible_instants",
        "warn",
        `No instant is before ${FIRST_YEAR}, and what is past was not after its response`,
        columnsOf(table).flatMap((column) =>
          column.name === table.time || !isInstant(column)
            ? []
            : [
                { name: column.name, condition: beforeAll(column) },
                ...(column.isPast === true
                  ? [
                      {
                        name: column.name,
                        condition: `t.${identifier(column.name)} > t._updated_at + interval ${SKEW_SECONDS} second`,
                      },
                    ]
                  : []),
              ],
        ),
      )

/** The condition that what a stored row `t` refers to is in none of the tables. */
const unknownReference = ({ columns, to }: Reference): string => {
  const values = columns.map((name) => `t.${identifier(name)}`)
  const found = to.map(
    (there) => `select ${identifiers(there.columns)} from ${there.table}
      where ${there.columns.map((name) => `${identifier(name)} is not null`).join(" and ")}`,
  )
  return [
    ...values.map((value) => `${value} is not null`),
    `(${values.join(", ")}) not in (${found.join(" union all ")})`,
  ].join(" and ")
}

/** A rule that many tables have is screened in one join for all of them. */
const lookUps: Readonly<Record<string, { readonly name: LookUp; readonly value: string }>> = {
  chain_known: { name: "known_chains", value: "t.chain_id || ' ' || t.vault_address" },
  subaccount_known: { name: "known_subaccounts", value: "t.subaccount_address" },
  loan_known: { name: "known_loans", value: "t.loan_id" },
}

const references: Rule = (table) =>
  columnsOf(table).flatMap((column) => {
    const { references: reference } = column
    if (reference === undefined) return []
    const { name, columns, to } = reference
    const others = [...new Set(to.map(({ table: other }) => other))].join(", ")
    const lookUp = lookUps[name]
    const rule = [
      () =>
        `${table.mode === "slowly_changing" ? "t.is_current and " : ""}${unknownReference(reference)}`,
      columns.map((each) => `t.${identifier(each)} as ${identifier(`unknown_${each}`)}`),
    ] as const
    const of = ofRows(table, ...rule)
    return [
      {
        ...base(
          table,
          name,
          `${columns.join(" and ")} ${columns.length === 1 ? "is" : "are"} found in ${others}`,
        ),
        ...(lookUp === undefined
          ? { sql: of.sql }
          : withLookUp(table, lookUp.name, lookUp.value, ...rule)),
      },
    ]
  })

export const constraintRules: ReadonlyArray<Rule> = [
  finite,
  ranges("range", "error", "Figures are possible"),
  ranges("plausible", "warn", "Figures are plausible"),
  accepted,
  eventTime,
  instants,
  references,
]
