// How the tables and the archived responses differ, with a few of the rows.
import type { ArchiveComparison } from "../../pipelines/replay.ts"

type Difference = ArchiveComparison["tables"][number]

const count = (value: number): string => value.toLocaleString("en")

const housekeeping = new Set(["_run_id", "_first_seen_at", "_updated_at", "extra"])

const rowText = (row: Difference["onlyHere"][number]): string =>
  Object.entries(row)
    .filter(([name, value]) => value !== null && !housekeeping.has(name))
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
    `  ${table}: ${count(rowsBefore)} rows, the responses make ${count(rowsAfter)}`,
    ...onlyHere.map((row) => `    stored    ${rowText(row)}`),
    ...onlyThere.map((row) => `    archived  ${rowText(row)}`),
  ].join("\n")

export const archiveText = ({ responses, tables, lost }: ArchiveComparison): string => {
  const differing = tables.filter(({ isSame }) => !isSame)
  const made = `${count(responses)} responses`
  if (differing.length === 0 && lost.length === 0) {
    return `${made} make the ${tables.length} tables there are, to the last bit.\n`
  }
  return [
    ...(lost.length > 0
      ? [
          "Rows whose response is no longer in the archive's index:",
          ...lost.map(({ table, rows }) => `  ${table}: ${count(rows)} rows`),
          "",
        ]
      : []),
    ...(differing.length > 0
      ? ["Tables that are not what the responses make:", ...differing.map(differenceText), ""]
      : []),
    `${made}; ${differing.length} of ${tables.length} tables differ. Nothing was changed.${lost.length === 0 ? " `vaulthouse replay` makes them again." : ""}`,
    "",
  ].join("\n")
}
