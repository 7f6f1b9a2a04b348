// The text of what changed between two runs.
import type { ChangedRow, TableChanges } from "../../../pipelines/readers/diff.ts"
import { count } from "../../../domain/values/numbers.ts"
import { rowsTable, tableOrBlocks } from "../../terminal/rowsTable.ts"
import { paragraph } from "../../terminal/terminal.ts"

export interface Found {
  /** `null` for everything up to `to`. */
  readonly from: string | null
  readonly to: string
  readonly tables: ReadonlyArray<TableChanges>
  /** Those of the table given with --table. */
  readonly rows: ReadonlyArray<ChangedRow> | undefined
}

export const diffText = ({ from, to, tables, rows }: Found): string => {
  const span = from === null ? `Up to run ${to}` : `From run ${from} to run ${to}`
  if (tables.length === 0) return `${paragraph(`${span}: nothing changed.`)}\n`
  const summary = rowsTable(
    tables.map(({ table, added, revised, ended }) => ({ table, new: added, revised, ended })),
    "",
  )
  return [
    paragraph(`${span}:`),
    "",
    summary,
    "",
    ...(rows === undefined ? [paragraph(HINT), ""] : rowTexts(tables, rows)),
  ].join("\n")
}

const HINT =
  "--table NAME lists the rows, of a mart too. `vaulthouse query --as-of` shows both as they were at an instant."

const rowTexts = (
  [counts]: ReadonlyArray<TableChanges>,
  rows: ReadonlyArray<ChangedRow>,
): ReadonlyArray<string> => {
  const revised = rows.filter(({ change }) => change === "revised")
  const total = counts === undefined ? 0 : counts.added + counts.revised + counts.ended
  return [
    ...part("Revised", revised.flatMap(columnRows)),
    ...part(
      "Ended",
      rows.filter(isOf("ended")).map(({ key, before }) => ({ ...key, ...before })),
    ),
    ...part(
      "New",
      rows.filter(isOf("new")).map(({ key, after }) => ({ ...key, ...after })),
    ),
    ...(total > rows.length
      ? [`(${rows.length} of ${count(total)} rows; --max-rows shows more)`, ""]
      : []),
  ]
}

const isOf =
  (change: ChangedRow["change"]) =>
  (row: ChangedRow): boolean =>
    row.change === change

/** One line for each column that changed. */
const columnRows = ({ key, before, after }: ChangedRow): ReadonlyArray<Record<string, unknown>> =>
  Object.keys(after).map((column) => ({
    ...key,
    column,
    before: before[column],
    after: after[column],
  }))

const part = (
  title: string,
  rows: ReadonlyArray<Record<string, unknown>>,
): ReadonlyArray<string> => {
  if (rows.length === 0) return []
  const names = [...new Set(rows.flatMap((row) => Object.keys(row)))]
  return [`${title}:`, tableOrBlocks(rows, names), ""]
}
