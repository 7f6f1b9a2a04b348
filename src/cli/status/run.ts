// One screen of how the warehouse is.
import * as Effect from "effect/Effect"
import { readStatus, type Status } from "../../pipelines/readers/status.ts"
import { type Meaning, paint, paintOutcomes } from "../color.ts"
import type { Arguments } from "../Command.ts"
import { counted } from "../counted.ts"
import { execute } from "../execute.ts"
import { type ExitCode, exitCodes } from "../exit.ts"
import { columnsThatFit, type PaintCell, textTable } from "../table.ts"
import { paragraph, terminalWidth } from "../terminal.ts"

export const runStatus = (argv: Arguments): Promise<ExitCode> =>
  execute(argv, ({ settings: { dataDir } }) =>
    Effect.map(readStatus(dataDir), (status) => {
      process.stdout.write(
        argv["json"] === true
          ? `${JSON.stringify(status, null, 2)}\n`
          : statusText(status, dataDir),
      )
      return exitCodes.ok
    }).pipe(Effect.scoped),
  )

/** As wide as the terminal; in a pipe, what one usually is. */
const screen = (): number => Math.min(terminalWidth(), process.stdout.isTTY ? Infinity : 100)

const statusText = (status: Status, dataDir: string): string => {
  const { gaps, quarantine, drift, swaps } = status
  return [
    ...headOf(status, dataDir),
    "",
    tableOf(status.freshness, "nothing to be fresh"),
    "",
    tablesText(status.tables),
    "",
    ...section("Gaps", gaps, "no gap is open"),
    ...section("Quarantine", quarantine, "no response is set aside"),
    ...(swaps.length === 0
      ? []
      : section(
          "Swaps of unknown outcome (`vaulthouse swap --list` says how to find out)",
          swaps.map(withShortToken),
          "",
        )),
    ...section("Fields the document does not name", drift.map(shortened), "none seen", "heading"),
    "",
  ].join("\n")
}

const headOf = ({ lastRun, published, asOf }: Status, dataDir: string): ReadonlyArray<string> => {
  const ran =
    lastRun === undefined
      ? "no run has ended yet"
      : `${lastRun.runId}: ${lastRun.outcome}, ended ${ago(lastRun.finishedAt, asOf)} (${counted(lastRun.rowsInserted, "new row")}, ${lastRun.rowsRevised.toLocaleString("en")} revised, ${counted(lastRun.requests, "request")}, ${lastRun.seconds.toFixed(1)} s)`
  const [copy] = published
  const made = copy === undefined ? "" : `, as of ${ago(String(copy["published_at"]), asOf)}`
  return [
    `Last run   ${paintOutcomes(paragraph(ran, 11, screen()))}`,
    `Published  ${dataDir}/published/vaulthouse.duckdb${made}`,
  ]
}

const ago = (instant: string, now: string): string => {
  const minutes = Math.max(0, Math.round((Date.parse(now) - Date.parse(instant)) / 60_000))
  if (minutes < 1) return "just now"
  if (minutes < 120) return `${minutes} min ago`
  return minutes < 2880
    ? `${Math.round(minutes / 60)} h ago`
    : `${Math.round(minutes / 1440)} d ago`
}

const GAP = 2

/** In as many columns as fit, since there are more tables than a screen has lines. */
const tablesText = (tables: Status["tables"]): string => {
  if (tables.length === 0) return "no rows yet"
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

/** Two addresses in full are no line of a screen, and the subaccount is what to look for. */
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
  none: string,
  meaning: Meaning = "warning",
): ReadonlyArray<string> =>
  rows.length === 0
    ? [`${title}: ${none}.`]
    : [paint(`${title}:`, meaning), tableOf(rows, none), ""]

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

/** How many of what should be fresh is not. */
const paintStale =
  (names: ReadonlyArray<string>): PaintCell =>
  (line, column) =>
    names[column] === "stale_active" && line !== "0" ? paint(line, "warning") : line

const heading = (name: string): string => name.replaceAll("_", " ")

const tableOf = (rows: Status["gaps"], none: string): string => {
  const [first] = rows
  if (first === undefined) return none
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
