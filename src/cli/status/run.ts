// One screen of how the warehouse is.
import * as Effect from "effect/Effect"
import { readStatus, type Status } from "../../pipelines/status.ts"
import type { Arguments } from "../Command.ts"
import { execute } from "../execute.ts"
import { type ExitCode, exitCodes } from "../exit.ts"
import { textTable } from "../table.ts"

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
          swaps,
          "",
        )),
    ...section("Fields the document does not name", drift.map(shortened), "none seen"),
    "",
  ].join("\n")
}

const headOf = ({ lastRun, published, asOf }: Status, dataDir: string): ReadonlyArray<string> => {
  const ran =
    lastRun === undefined
      ? "no run has ended yet"
      : `${lastRun.runId}: ${lastRun.outcome}, ended ${ago(lastRun.finishedAt, asOf)} (${lastRun.rowsInserted.toLocaleString("en")} new rows, ${lastRun.rowsRevised.toLocaleString("en")} revised, ${lastRun.requests} requests, ${lastRun.seconds.toFixed(1)} s)`
  const [copy] = published
  const made = copy === undefined ? "" : `, as of ${ago(String(copy["published_at"]), asOf)}`
  return [`Last run   ${ran}`, `Published  ${dataDir}/published/vaulthouse.duckdb${made}`]
}

const ago = (instant: string, now: string): string => {
  const minutes = Math.max(0, Math.round((Date.parse(now) - Date.parse(instant)) / 60_000))
  if (minutes < 1) return "just now"
  if (minutes < 120) return `${minutes} min ago`
  return minutes < 2880
    ? `${Math.round(minutes / 60)} h ago`
    : `${Math.round(minutes / 1440)} d ago`
}

const COLUMNS = 3

/** In columns, since there are more tables than a screen has lines. */
const tablesText = (tables: Status["tables"]): string => {
  if (tables.length === 0) return "no rows yet"
  const height = Math.ceil(tables.length / COLUMNS)
  const lines = Array.from({ length: height }, (_, line) =>
    Array.from({ length: COLUMNS }, (__, column) => tables[column * height + line]).flatMap(
      (table) => (table === undefined ? ["", ""] : [String(table["table"]), cell(table["rows"])]),
    ),
  )
  const head = Array.from({ length: COLUMNS }, () => ["table", "rows"]).flat()
  return textTable(
    head,
    lines,
    head.map((name) => (name === "rows" ? "right" : "left")),
  )
}

const MAX_PATHS = 50

/** `status --json` and ops.schema_drift have them all. */
const shortened = (drift: Status["drift"][number]): Status["drift"][number] => {
  const paths = String(drift["paths"])
  return paths.length <= MAX_PATHS
    ? drift
    : { ...drift, paths: `${paths.slice(0, paths.lastIndexOf(",", MAX_PATHS))}, …` }
}

const section = (title: string, rows: Status["gaps"], none: string): ReadonlyArray<string> =>
  rows.length === 0 ? [`${title}: ${none}.`] : [`${title}:`, tableOf(rows, none), ""]

const cell = (value: unknown): string =>
  value === null || value === undefined
    ? "–"
    : typeof value === "number"
      ? value.toLocaleString("en")
      : String(value)

const tableOf = (rows: Status["gaps"], none: string): string => {
  const [first] = rows
  if (first === undefined) return none
  const names = Object.keys(first)
  const align = names.map((name) => (typeof first[name] === "number" ? "right" : "left"))
  return textTable(
    names.map((name) => name.replaceAll("_", " ")),
    rows.map((row) => names.map((name) => cell(row[name]))),
    align,
  )
}
