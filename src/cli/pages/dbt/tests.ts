// The constraints of tables and marts as dbt tests, and each check of warehouse/checks as a test of its own. The meta
// of a test names the check of `vaulthouse check` that has the same rule.
import { SKEW_SECONDS } from "../../../domain/run/checkResult.ts"
import { FIRST_YEAR } from "../../../domain/subject/firstDay.ts"
import { identifier } from "../../../domain/values/sqlText.ts"
import { checkList } from "../../../pipelines/readers/checkList.ts"
import type { DictionaryColumn, DictionaryEntry } from "../../../pipelines/readers/dictionary.ts"

const isMart = ({ name }: DictionaryEntry): boolean => name.startsWith("mart.")

const configOf = (
  entry: DictionaryEntry,
  rule: string,
  severity: "error" | "warn",
  conditions: ReadonlyArray<string> = [],
) => {
  const where = [...(entry.constrained === "is_current" ? ["is_current"] : []), ...conditions]
  return {
    severity,
    meta: { check: `${entry.name}.${rule}` },
    ...(where.length > 0 && { where: where.join(" and ") }),
  }
}

/** Ranges of a column, with the rules that `load/checks` has for them. */
export const columnTests = (
  { constraints: { range, plausible } }: DictionaryColumn,
  entry: DictionaryEntry,
) =>
  entry.constrained === "none"
    ? []
    : (
        [
          [range, isMart(entry) ? "values" : "range", "error"],
          [plausible, "plausible_range", "warn"],
        ] as const
      ).flatMap(([bounds, rule, severity]) =>
        bounds === undefined
          ? []
          : [
              {
                in_range: {
                  arguments: {
                    ...(bounds.from !== undefined && { at_least: bounds.from }),
                    ...(bounds.to !== undefined && { at_most: bounds.to }),
                  },
                  config: configOf(entry, rule, severity),
                },
              },
            ],
      )

const source = (table: string): string => `source('${table.replace(".", "', '")}')`

/** One column, or several as one value. */
const row = (names: ReadonlyArray<string>): string =>
  names.length === 1 ? identifier(names[0] ?? "") : `(${names.map(identifier).join(", ")})`

const referenceTest = (
  entry: DictionaryEntry,
  { name, columns, to }: DictionaryEntry["references"][number],
) => {
  const [only] = to
  const config = configOf(
    entry,
    name,
    "error",
    columns.map((column) => `${identifier(column)} is not null`),
  )
  return to.length === 1 && only !== undefined
    ? {
        relationships: {
          arguments: {
            column_name: row(columns),
            to: source(only.table),
            field: row(only.columns),
          },
          config,
        },
      }
    : {
        in_one_of: {
          arguments: {
            column_name: row(columns),
            relations: to.map(({ table }) => source(table)),
            fields: to.map((there) => row(there.columns)),
          },
          config,
        },
      }
}

const noRows = (condition: string, config: object) => ({
  no_rows: { arguments: { condition }, config },
})

const any = (conditions: ReadonlyArray<string>): string => conditions.join(" or ")

const relationship = (column: string, to: string, field = column) => ({
  column_name: identifier(column),
  to: source(to),
  field: identifier(field),
})

/** What every stored row keeps, past versions included (`load/checks/tableChecks.ts`). */
const storedRowTests = (entry: DictionaryEntry) => {
  const { columns, key, time } = entry
  const has = (name: string) => columns.some((column) => column.name === name)
  const config = (rule: string, where?: string) => ({
    severity: "error",
    meta: { check: `${entry.name}.${rule}` },
    ...(where !== undefined && { where }),
  })
  const entity = key.filter((name) => name !== "valid_from")
  return [
    ...(has("is_current")
      ? [
          {
            unique: {
              arguments: { column_name: `(${entity.map(identifier).join(", ")})` },
              config: config("one_current", "is_current"),
            },
          },
          noRows(
            "valid_to <= valid_from or is_current is distinct from (valid_to is null)",
            config("intervals"),
          ),
        ]
      : []),
    ...(has("_superseded_at")
      ? [noRows("_superseded_at <= _updated_at", config("superseded_later"))]
      : []),
    ...(has("_run_id")
      ? [
          {
            in_one_of: {
              arguments: {
                column_name: identifier("_run_id"),
                relations: [source("ops.runs"), source("raw.responses")],
                fields: [identifier("run_id"), identifier("run_id")],
              },
              config: config("run_known"),
            },
          },
        ]
      : []),
    ...(has("_response_id")
      ? [
          {
            relationships: {
              arguments: relationship("_response_id", "raw.responses", "response_id"),
              config: config("response_known", "_response_id is not null"),
            },
          },
        ]
      : []),
    ...(key.includes("vault_address") && entry.name !== "core.vaults"
      ? [
          {
            relationships: {
              arguments: relationship("vault_address", "core.vaults"),
              config: config("vault_known"),
            },
          },
        ]
      : []),
    ...(time !== undefined && entry.constrained === "all"
      ? [
          noRows(
            `${identifier(time)}::timestamp > _updated_at + interval ${SKEW_SECONDS} second`,
            config("not_in_future"),
          ),
        ]
      : []),
  ]
}

const tooOld = ({ name }: DictionaryColumn): string =>
  `${identifier(name)} < date '${FIRST_YEAR}-01-01'`

/** Rules about several columns, and about what rows refer to. */
export const tableTests = (entry: DictionaryEntry) => {
  const stored = entry.name.startsWith("core.") ? storedRowTests(entry) : []
  if (entry.constrained === "none") return stored
  const { columns } = entry
  const accepted = columns.flatMap(({ name, constraints }) =>
    constraints.accepted === undefined
      ? []
      : [
          {
            accepted_values: {
              arguments: {
                column_name: `lower(${identifier(name)})`,
                values: constraints.accepted,
              },
              config: configOf(
                entry,
                isMart(entry) ? "values" : "accepted_values",
                isMart(entry) ? "error" : "warn",
              ),
            },
          },
        ],
  )
  const references = entry.references.map((each) => referenceTest(entry, each))
  if (!entry.name.startsWith("core.")) return [...accepted, ...references]
  const doubles = columns.filter(({ type }) => type === "double")
  const instants = columns.filter(
    ({ name, type }) => (type === "timestamp" || type === "date") && !name.startsWith("_"),
  )
  const [times, others] = [true, false].map((isTime) =>
    instants.filter(({ name }) => (name === entry.time) === isTime),
  )
  const implausible = (others ?? []).flatMap((column) => [
    tooOld(column),
    ...(column.constraints.isPast
      ? [`${identifier(column.name)} > _updated_at + interval ${SKEW_SECONDS} second`]
      : []),
  ])
  return [
    ...stored,
    ...accepted,
    ...references,
    ...(doubles.length === 0
      ? []
      : [
          noRows(
            any(doubles.map(({ name }) => `not isfinite(${identifier(name)})`)),
            configOf(entry, "finite", "error"),
          ),
        ]),
    ...(times === undefined || times.length === 0
      ? []
      : [noRows(any(times.map(tooOld)), configOf(entry, "in_platform_life", "error"))]),
    ...(implausible.length === 0
      ? []
      : [noRows(any(implausible), configOf(entry, "plausible_instants", "warn"))]),
  ]
}

/** SQL in which tables are dbt's sources. What only published copies have is no source: it is named with its database. */
const withSources = (sql: string): string =>
  sql
    .replace(
      /\bmart_tables\.(\w+)/g,
      "{{ var('vaulthouse_database', 'vaulthouse') }}.mart_tables.$1",
    )
    .replace(/\b(core|mart|ops|raw)\.(\w+)/g, "{{ source('$1', '$2') }}")

const withoutComments = (sql: string): string => sql.replace(/^\s*--.*\n/gm, "")

/** The checks of warehouse/checks as tests of their own. SQL by file name. */
export const dbtChecks = (): Readonly<Record<string, string>> =>
  Object.fromEntries(
    checkList().ofFiles.map(({ name, description, severity, sql }) => [
      `${name}.sql`,
      `-- Written by \`make docs\` from warehouse/checks/${name}.sql: ${description.replaceAll("\n", " ").trim()}.
{{ config(severity='${severity}', meta={'check': '${name}'}) }}

${withSources(withoutComments(sql({ since: undefined }))).trim()}
`,
    ]),
  )
