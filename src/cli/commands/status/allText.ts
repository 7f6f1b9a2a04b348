// status --all: the whole state of the warehouse.
import type { Problem } from "../../../domain/run/problem.ts"
import type { Status } from "../../../pipelines/readers/status.ts"
import { type Meaning, paint } from "../../terminal/color.ts"
import { cellText, rowsTable } from "../../terminal/rowsTable.ts"
import { textTable } from "../../terminal/table.ts"
import { paragraph } from "../../terminal/terminal.ts"
import {
  freshnessTable,
  healthLine,
  lastRunLine,
  type Place,
  publishedLine,
  screenWidth,
} from "./parts.ts"

export const allText = (status: Status, place: Place): string => {
  const { problems, published, freshness, gaps, quarantine, drift, swaps } = status
  return [
    healthLine(status),
    lastRunLine(status, place),
    publishedLine(status, place),
    "",
    ...problemsText(problems),
    ...(freshness.length === 0 ? [] : [freshnessTable(freshness), ""]),
    ...(published === null
      ? []
      : [
          tablesText(status.tables),
          "",
          ...section("Gaps", gaps),
          ...section("Quarantine", quarantine),
          ...(swaps.length === 0
            ? []
            : section(
                "Swaps of unknown outcome (`vaulthouse swap --list` says how to find out)",
                swaps.map(withShortToken),
              )),
          ...section("Schema drift", drift.map(shortened), "heading"),
          "",
        ]),
  ].join("\n")
}

const problemsText = (problems: ReadonlyArray<Problem>): ReadonlyArray<string> =>
  problems.length === 0
    ? []
    : [
        paint("Needs attention:", "warning"),
        ...problems.flatMap(({ text, advice }) => [
          `  ${paragraph(text, 4, screenWidth())}`,
          `      ${paragraph(advice, 6, screenWidth())}`,
        ]),
        "",
      ]

const GAP = 2

/** The row counts in several columns, because there are more tables than lines on a screen. */
const tablesText = (tables: Status["tables"]): string => {
  if (tables.length === 0) return "Tables: no rows yet"
  const longest = (name: "table" | "rows"): number =>
    tables.reduce((max, row) => Math.max(max, cell(row[name]).length), name.length)
  const pair = longest("table") + longest("rows") + 2 * GAP
  const columns = Math.min(tables.length, Math.max(1, Math.floor((screenWidth() + GAP) / pair)))
  const height = Math.ceil(tables.length / columns)
  const lines = Array.from({ length: height }, (_, line) =>
    Array.from({ length: columns }, (__, column) => tables[column * height + line]).flatMap(
      (table) => (table === undefined ? ["", ""] : [String(table["table"]), cell(table["rows"])]),
    ),
  )
  const head = Array.from({ length: columns }, () => ["table", "rows"]).flat()
  return textTable(head, lines, {
    align: head.map((name) => (name === "rows" ? "right" : "left")),
    width: screenWidth(),
  })
}

/** Shortens the token: a line has no room for two addresses, and the subaccount is the one to look for. */
const withShortToken = (swap: Status["swaps"][number]): Status["swaps"][number] => ({
  ...swap,
  source_token: String(swap["source_token"]).replace(/^(0x.{4}).+(.{4})$/, "$1…$2"),
})

const MAX_PATHS = 50

/** Shortens the list of paths; `status --json` and ops.schema_drift have them all. */
const shortened = (drift: Status["drift"][number]): Status["drift"][number] => {
  const paths = String(drift["paths"])
  return paths.length <= MAX_PATHS
    ? drift
    : { ...drift, paths: `${paths.slice(0, paths.lastIndexOf(",", MAX_PATHS))}, …` }
}

const section = (
  title: string,
  rows: Status["gaps"],
  meaning: Meaning = "warning",
): ReadonlyArray<string> =>
  rows.length === 0
    ? [`${title}: none`]
    : [paint(`${title}:`, meaning), rowsTable(rows, "", { width: screenWidth(), cell }), ""]

/** Shows instants to the minute; `status --json` has the rest. */
const cell = (value: unknown): string =>
  cellText(value).replace(/^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d)(?::[\d.]+)?Z?$/, "$1 $2")
