// How the tables and the archived responses differ, with some of the rows.
import { lostLines, type PathOf, unreadableLines } from "../../words/archiveLosses.ts"
import { paint } from "../../terminal/color.ts"
import { count } from "../../../domain/values/numbers.ts"
import { paragraph } from "../../terminal/terminal.ts"
import type { ArchiveComparison } from "../../../pipelines/archive/replay.ts"

type Difference = ArchiveComparison["tables"][number]

const bookkeepingColumns = new Set(["_run_id", "_first_seen_at", "_updated_at", "extra"])

const rowText = (row: Difference["onlyHere"][number]): string =>
  Object.entries(row)
    .filter(([name, value]) => value !== null && !bookkeepingColumns.has(name))
    .map(([name, value]) => `${name}=${String(value)}`)
    .join(" ")

const differenceText = ({
  table,
  rowsBefore,
  rowsAfter,
  onlyHere,
  onlyThere,
}: Difference): string =>
  [
    `  ${table}: ${count(rowsBefore)} rows stored, ${count(rowsAfter)} in the responses`,
    ...onlyHere.map((row) => `    stored    ${rowText(row)}`),
    ...onlyThere.map((row) => `    archived  ${rowText(row)}`),
  ].join("\n")

export const archiveText = (
  { responses, tables, lost, unreadable }: ArchiveComparison,
  pathOf: PathOf,
): string => {
  const differing = tables.filter(({ isSame }) => !isSame)
  const responseCount = `${count(responses)} responses`
  const advice =
    unreadable.length > 0
      ? "A segment of the archive is missing or damaged, so its rows are only in the tables: `vaulthouse verify` shows which one."
      : lost.length > 0
        ? "`vaulthouse verify` shows what is missing."
        : "`vaulthouse replay` rebuilds them."
  if (differing.length === 0 && lost.length === 0 && unreadable.length === 0) {
    return `${paint(`All ${tables.length} tables match the ${responseCount}, bit for bit.`, "good")}\n`
  }
  return [
    ...part(
      "Responses that can't be read, whose rows could not be compared:",
      unreadableLines(unreadable, pathOf),
    ),
    ...part("Rows whose response is no longer in the archive's index:", lostLines(lost)),
    ...part("Tables that differ from the responses:", differing.map(differenceText)),
    paragraph(
      `${responseCount}; ${differing.length} of ${tables.length} tables differ. Nothing was changed. ${advice}`,
    ),
    "",
  ].join("\n")
}

const part = (title: string, lines: ReadonlyArray<string>): ReadonlyArray<string> =>
  lines.length === 0 ? [] : [paint(title, "bad"), ...lines, ""]
