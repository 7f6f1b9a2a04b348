// Parts of the texts of `status` and `status --all`.
import { existsSync } from "node:fs"
import { join } from "node:path"
import type { Settings } from "../../../config/settings/settings.ts"
import { ageText, type Freshness } from "../../../pipelines/readers/problems/freshness.ts"
import type { Status } from "../../../pipelines/readers/status.ts"
import { paint, paintOutcomes, paintPart } from "../../terminal/color.ts"
import { lastRunText } from "../../words/lastRunText.ts"
import { counted } from "../../../domain/values/numbers.ts"
import { kindsText } from "../../words/problemsText.ts"
import { streams } from "../../terminal/output.ts"
import { type PaintCell, textTable } from "../../terminal/table.ts"
import { paragraph, terminalWidth } from "../../terminal/terminal.ts"

/** The width of the terminal; 80 in a pipe. */
export const screenWidth = (): number =>
  Math.min(terminalWidth(), streams().stdout.isTTY === true ? Infinity : 80)

const LABEL_WIDTH = 11

const labelled = (label: string, text: string): string =>
  `${label.padEnd(LABEL_WIDTH)}${paragraph(text, LABEL_WIDTH, screenWidth())}`

export const healthLine = ({ health, problems, lastRun }: Status): string => {
  switch (health) {
    case "good":
      return paintPart(labelled("Health", "good: nothing needs attention"), /good/, "good")
    case "unknown":
      // After a restore, or a first run that was stopped, a run has ended and nothing was recorded.
      return labelled(
        "Health",
        lastRun?.state === "ended"
          ? "unknown: not recorded here yet; the next `vaulthouse sync` records it"
          : "unknown until a run has ended",
      )
    case "attention":
      return paintPart(
        labelled("Health", `needs attention: ${kindsText(problems)}`),
        /needs attention/,
        "warning",
      )
  }
}

export type Place = Pick<Settings, "dataDir" | "warehouse">

export const lastRunLine = ({ lastRun }: Status, { dataDir, warehouse }: Place): string =>
  paintOutcomes(
    labelled(
      "Last run",
      lastRun === null
        ? `none yet in ${dataDir}${existsSync(dataDir) ? "" : ", which does not exist"}; \`vaulthouse sync\` is the first${warehouse === "file" ? "" : ", or `vaulthouse publish` copies what the lake has"}`
        : lastRunText(lastRun),
    ),
  )

export const publishedLine = ({ published, asOf, lastRun }: Status, { dataDir }: Place): string => {
  if (published === null) {
    return labelled(
      "Published",
      // A run in progress may publish at its end, and holds the warehouse until then.
      lastRun === null || lastRun.state === "running"
        ? "nothing yet"
        : "nothing yet; run `vaulthouse publish`",
    )
  }
  const file = join(dataDir, "published", "vaulthouse.duckdb")
  return labelled("Published", `${ago(String(published["published_at"]), asOf)}, ${file}`)
}

const ago = (instant: string, now: string): string => {
  const minutes = Math.max(0, Math.round((Date.parse(now) - Date.parse(instant)) / 60_000))
  if (minutes < 1) return "just now"
  if (minutes < 120) return `${minutes} min ago`
  return minutes < 2880
    ? `${Math.round(minutes / 60)} h ago`
    : `${Math.round(minutes / 1440)} d ago`
}

const head = ["series or pipeline", "read", "stale", "newest", "age", "target"]

const age = (hours: number | null): string => (hours === null ? "–" : ageText(hours))

/** An instant to the minute. */
const minuteText = (instant: string | null): string =>
  instant === null ? "–" : instant.slice(0, 16).replace("T", " ")

const paintStale: PaintCell = (line, column) =>
  head[column] === "stale" && /^ *\d/.test(line) && line.trim() !== "0"
    ? paint(line, "warning")
    : line

export const freshnessTable = (rows: ReadonlyArray<Freshness>): string =>
  textTable(
    head,
    rows.map((row) => [
      row.subject,
      String(row.entities),
      String(row.stale),
      minuteText(row.newest_at),
      age(row.age_hours),
      `${row.target_hours} h`,
    ]),
    {
      align: ["left", "right", "right", "left", "right", "right"],
      width: screenWidth(),
      paintCell: paintStale,
    },
  )

export const swapsLine = ({ swaps }: Status): ReadonlyArray<string> =>
  swaps.length === 0
    ? []
    : [
        paintPart(
          labelled(
            "Swaps",
            `${counted(swaps.length, "swap")} of unknown outcome; \`vaulthouse swap --list\` says how to find out`,
          ),
          /\d+ swaps?/,
          "warning",
        ),
      ]
