// The page of all tables and marts, from the data dictionary.
import {
  type DictionaryColumn,
  type DictionaryEntry,
  dictionary,
} from "../../pipelines/readers/dictionary.ts"
import { sqlLines } from "../words/sqlLines.ts"

/** Markdown of docs/tables.md. */
export const tablesPage = (): string => {
  const entries = dictionary()
  return [
    "# Tables",
    "Written by `make docs` from the definitions of the tables. The same texts are in the database as COMMENTs, in\nthe Parquet files as key-value metadata, in `vaulthouse tables`, and in the dbt project `deploy/dbt`.",
    "All times are UTC. Columns that begin with `_` are the same in every table of `core`.",
    ...schemas.flatMap(({ name, about }) => {
      const within = entries.filter((entry) => entry.name.startsWith(`${name}.`))
      return within.length === 0
        ? []
        : [`## ${name}`, about, ...neededByTable(within), ...within.map(section)]
    }),
    "",
  ]
    .join("\n\n")
    .trimEnd()
    .concat("\n")
}

/** What the schemas of the warehouse are for, in reading order. */
export const schemas: ReadonlyArray<{ readonly name: string; readonly about: string }> = [
  { name: "mart", about: "Views for analysts and BI tools." },
  { name: "core", about: "The data of the API, as it is." },
  {
    name: "meta",
    about: "The dictionary and the worked questions, for readers whose driver shows no comments.",
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

const section = (entry: DictionaryEntry): string =>
  [
    `### ${entry.name}`,
    entry.comment,
    [
      `- One row per ${entry.grain}`,
      `- Key: ${entry.key.map(code).join(", ")}`,
      `- Source: ${entry.source}`,
      ...(entry.shapes.length === 0 ? [] : [`- Shapes: ${entry.shapes.join("; ")}`]),
      ...(entry.asOf === undefined ? [] : [`- As it was at an instant: ${code(entry.asOf)}`]),
    ].join("\n"),
    [
      "| column | type | unit | meaning | field |",
      "| --- | --- | --- | --- | --- |",
      ...entry.columns.map(row),
    ].join("\n"),
    `\`\`\`sql\n${sqlLines(entry.example, PAGE_WIDTH).join("\n")}\n\`\`\``,
  ].join("\n\n")

const code = (text: string): string => `\`${text}\``

const row = ({ name, type, unit, comment, fields }: DictionaryColumn): string =>
  `| ${[code(name), type, unit ?? "", comment, fields.map(code).join(", ")].map(cell).join(" | ")} |`

const cell = (text: string): string => text.replaceAll("|", "\\|").replaceAll("\n", " ")
