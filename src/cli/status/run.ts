// vaulthouse status: one screen about the warehouse.
import { join } from "node:path"
import * as Effect from "effect/Effect"
import { readStatus, type Status } from "../../pipelines/readers/status.ts"
import { type Meaning, paint, paintOutcomes } from "../color.ts"
import type { Arguments } from "../Command.ts"
import { execute, stopped } from "../execute.ts"
import { type ExitCode, exitCodes } from "../exit.ts"
import { lastRunText } from "../lastRunText.ts"
import { streams } from "../output.ts"
import { printReport } from "../report.ts"
import { columnsThatFit, type PaintCell, textTable } from "../table.ts"
import { paragraph, terminalWidth } from "../terminal.ts"

export const runStatus = (argv: Arguments): Promise<ExitCode> =>
  execute(
    argv,
    ({ settings: { dataDir, queryMemoryLimit } }) =>
      Effect.map(readStatus(dataDir, queryMemoryLimit), (status) => {
        printReport(argv, status, () => statusText(status, dataDir))
        return exitCodes.ok
      }).pipe(Effect.scoped),
    stopped,
  )

/** The width of the terminal; in a pipe, a usual one. */
const screen = (): number =>
  Math.min(terminalWidth(), streams().stdout.isTTY === true ? Infinity : 100)

const statusText = (status: Status, dataDir: string): string => {
  const { lastRun, published, gaps, quarantine, drift, swaps } = status
  const failedChecks = lastRun?.failed_checks ?? []
  const [copy] = published
  const file = join(dataDir, "published", "vaulthouse.duckdb")
  return [
    `Last run   ${lastRun === undefined ? "none yet" : paintOutcomes(paragraph(lastRunText(lastRun), 11, screen()))}`,
    `Published  ${copy === undefined ? "nothing yet" : `${file}, ${ago(String(copy["published_at"]), status.asOf)}`}`,
    "",
    ...(failedChecks.length === 0 ? [] : section("Failed checks", failedChecks.map(checkRow))),
    ...(copy === undefined
      ? []
      : [
          tableOf(status.freshness),
          paint("stale, median hours: of active vaults; mart.freshness has all", "aside"),
          "",
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
          ...section("Unknown fields", drift.map(shortened), "heading"),
          "",
        ]),
  ].join("\n")
}

const checkRow = ({
  severity,
  name,
  failures,
}: NonNullable<Status["lastRun"]>["failed_checks"][number]) => ({ severity, check: name, failures })

const ago = (instant: string, now: string): string => {
  const minutes = Math.max(0, Math.round((Date.parse(now) - Date.parse(instant)) / 60_000))
  if (minutes < 1) return "just now"
  if (minutes < 120) return `${minutes} min ago`
  return minutes < 2880
    ? `${Math.round(minutes / 60)} h ago`
    : `${Math.round(minutes / 1440)} d ago`
}

const GAP = 2

/** In several columns: there are more tables than a screen has lines. */
const tablesText = (tables: Status["tables"]): string => {
  if (tables.length === 0) return "Tables: no rows yet"
  const longest = (name: "table" | "rows"): number =>
    tables.reduce((max, row) => Math.max(max, cell(name, row[name]).length), name.length)
  const pair = longest("table") + longest("rows") + 2 * GAP
  const columns = Math.min(tables.length, Math.max(1, Math.floor((screen() + GAP) / pair)))
  const height = Math.ceil(tables.length / columns)
  const lines = Array.from({ length: height }, (_, line) =>
    Array.from({ length: columns }, (__, column) => tables[column * height + line]).flatMap(
      (table) =>
        table === undefined ? ["", ""] : [String(table["table"]), cell("rows", table["rows"])],
    ),
  )
  const head = Array.from({ length: columns }, () => ["table", "rows"]).flat()
  return textTable(
    head,
    lines,
    head.map((name) => (name === "rows" ? "right" : "left")),
    screen(),
  )
}

/** Two whole addresses do not fit a line, and the subaccount is the one to look for. */
const withShortToken = (swap: Status["swaps"][number]): Status["swaps"][number] => ({
  ...swap,
  source_token: String(swap["source_token"]).replace(/^(0x.{4}).+(.{4})$/, "$1…$2"),
})

const MAX_PATHS = 50

/** `status --json` and ops.schema_drift have them all. */
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
  rows.length === 0 ? [`${title}: none`] : [paint(`${title}:`, meaning), tableOf(rows), ""]

/** Instants to the minute and hours to one decimal: `status --json` has the rest. */
const cell = (name: string, value: unknown): string => {
  if (value === null || value === undefined) return "–"
  if (typeof value === "number") {
    const isHours = name.endsWith("_hours")
    return value.toLocaleString(
      "en",
      isHours ? { minimumFractionDigits: 1, maximumFractionDigits: 1 } : {},
    )
  }
  const text = typeof value === "object" ? JSON.stringify(value) : String(value)
  return text.replace(/^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d)(?::[\d.]+)?Z?$/, "$1 $2")
}

/** Stale active vaults are a warning. */
const paintStale =
  (names: ReadonlyArray<string>): PaintCell =>
  (line, column) =>
    names[column] === "stale" && line !== "0" ? paint(line, "warning") : line

const heading = (name: string): string => name.replaceAll("_", " ")

const tableOf = (rows: Status["gaps"]): string => {
  const [first] = rows
  if (first === undefined) return ""
  const all = Object.keys(first)
  const cells = (of: ReadonlyArray<string>) =>
    rows.map((row) => of.map((name) => cell(name, row[name])))
  // `status --json` has it.
  const names = columnsThatFit(all.map(heading), cells(all), ["median hours"], screen()).flatMap(
    (at) => all[at] ?? [],
  )
  const isNumber = (name: string): boolean => rows.some((row) => typeof row[name] === "number")
  return textTable(
    names.map(heading),
    cells(names),
    names.map((name) => (isNumber(name) ? "right" : "left")),
    screen(),
    paintStale(names),
  )
}
