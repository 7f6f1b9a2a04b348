// The page of all tables and marts, from the data dictionary.
import {
  type DictionaryColumn,
  type DictionaryEntry,
  dictionary,
} from "../../pipelines/readers/dictionary.ts"
import { sqlLines } from "../words/sqlLines.ts"
import { code } from "./page.ts"

/** Markdown of docs/tables.md: each text once, so that the page can be searched. */
export const tablesPage = (): string => {
  const entries = dictionary()
  const names = new Set(entries.map(({ name }) => name))
  const shared = sharedColumns(entries)
  return [
    "# Tables",
    "Written by `make docs` from the definitions of the tables: what each column means, its unit, and the field of the API it\ncomes from. The same texts are in the database as COMMENTs, in the Parquet files as key-value metadata, in `vaulthouse\ntables`, and in the dbt project `deploy/dbt`, each where its readers look.",
    "All times are UTC. A table `<name>_versions` holds the superseded versions of `<name>`, with the same columns and\n`_superseded_at`, when a version was replaced, and has no section of its own. These columns, which many tables of\n`core` share, are listed only here:",
    columnTable([...shared.values()]),
    ...schemas.flatMap(({ name, about }) => {
      const within = entries.filter((entry) => entry.name.startsWith(`${name}.`))
      const described = within.filter((entry) => !isCopy(entry, names))
      return within.length === 0
        ? []
        : [
            `## ${name}`,
            about,
            ...neededByTable(within),
            ...described.map((entry) => section(entry, shared)),
          ]
    }),
    "",
  ]
    .join("\n\n")
    .trimEnd()
    .concat("\n")
}

/** A table of superseded versions, or a view that shows what another section describes. */
const isCopy = ({ name, source }: DictionaryEntry, names: ReadonlySet<string>): boolean =>
  names.has(source) || (name.endsWith("_versions") && names.has(name.replace(/_versions$/, "")))

/** By name, those that at least ten tables of core have with the same text. */
const sharedColumns = (
  entries: ReadonlyArray<DictionaryEntry>,
): ReadonlyMap<string, DictionaryColumn> => {
  const found = Map.groupBy(
    entries.filter(({ name }) => name.startsWith("core.")).flatMap(({ columns }) => columns),
    (column) => JSON.stringify([column.name, column.comment, column.type]),
  )
  return new Map(
    [...found.values()].flatMap(([column, ...others]) =>
      column !== undefined && column.name.startsWith("_") && others.length >= 9
        ? [[column.name, column] as const]
        : [],
    ),
  )
}

/** What the schemas of the warehouse are for, in reading order. */
export const schemas: ReadonlyArray<{ readonly name: string; readonly about: string }> = [
  { name: "mart", about: "Views for analysts and BI tools." },
  { name: "core", about: "The data of the API, as it is." },
  {
    name: "meta",
    about:
      "The dictionary and the worked questions, for readers whose driver shows no comments; `meta.freshness` is `mart.pipeline_freshness`, `meta.runs` is `ops.runs`.",
  },
  { name: "ops", about: "The runs, and what is missing or wrong." },
  { name: "raw", about: "The archive of responses." },
]

/** An index of the marts, by who needs them. */
const neededByTable = (entries: ReadonlyArray<DictionaryEntry>): ReadonlyArray<string> => {
  const rows = entries.flatMap(({ name, neededBy }) =>
    neededBy === undefined ? [] : [`| ${neededBy.replace(": ", " | ")} | ${code(name)} |`],
  )
  return rows.length === 0
    ? []
    : [["| needed by | for | mart |", "| --- | --- | --- |", ...rows.toSorted()].join("\n")]
}

const PAGE_WIDTH = 100

const section = (entry: DictionaryEntry, shared: ReadonlyMap<string, DictionaryColumn>): string =>
  [
    `### ${entry.name}`,
    entry.comment,
    [
      `- One row per ${entry.grain}`,
      ...callOf(entry),
      `- Key: ${entry.key.map(code).join(", ")}`,
      `- Source: ${entry.source}`,
      ...(entry.shapes.length === 0 ? [] : [`- Shapes: ${entry.shapes.join("; ")}`]),
      ...(entry.asOf === undefined ? [] : [`- As it was at an instant: ${code(entry.asOf)}`]),
    ].join("\n"),
    columnTable(entry.columns.filter(({ name, comment }) => shared.get(name)?.comment !== comment)),
    `\`\`\`sql\n${sqlLines(entry.example, PAGE_WIDTH).join("\n")}\n\`\`\``,
  ].join("\n\n")

const callOf = ({ name, parameters }: DictionaryEntry): ReadonlyArray<string> =>
  parameters.length === 0
    ? []
    : [`- A table macro, called with its parameters: ${code(`${name}(${parameters.join(", ")})`)}`]

const columnTable = (columns: ReadonlyArray<DictionaryColumn>): string =>
  [
    "| column | type | unit | meaning | field |",
    "| --- | --- | --- | --- | --- |",
    ...columns.map(row),
  ].join("\n")

const row = ({ name, type, unit, comment, fields }: DictionaryColumn): string =>
  `| ${[code(name), type, unit ?? "", comment, fields.map(code).join(", ")].map(cell).join(" | ")} |`

const cell = (text: string): string => text.replaceAll("|", "\\|").replaceAll("\n", " ")
