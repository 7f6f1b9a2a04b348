// How the tables and the archived responses differ, with a few of the rows.
import { paint } from "../color.ts"
import type { ArchiveComparison } from "../../pipelines/archive/replay.ts"

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

/** One line for each place of the archive, however many responses lay there. */
const unreadableText = (unreadable: ArchiveComparison["unreadable"]): ReadonlyArray<string> =>
  [...Map.groupBy(unreadable, ({ file, why }) => `${file}: ${why}`)].map(
    ([place, those]) =>
      `  raw/${place} (${those.map(({ pipeline, responseId }) => `${pipeline} ${responseId}`).join(", ")})`,
  )

export const archiveText = ({ responses, tables, lost, unreadable }: ArchiveComparison): string => {
  const differing = tables.filter(({ isSame }) => !isSame)
  const made = `${count(responses)} responses`
  if (differing.length === 0 && lost.length === 0 && unreadable.length === 0) {
    return `${paint(`${made} make the ${tables.length} tables there are, to the last bit.`, "good")}\n`
  }
  return [
    ...(unreadable.length > 0
      ? [
          paint("Responses that could not be read, and whose rows could not be compared:", "bad"),
          ...unreadableText(unreadable),
          "",
        ]
      : []),
    ...(lost.length > 0
      ? [
          paint("Rows whose response is no longer in the archive's index:", "bad"),
          ...lost.map(({ table, rows }) => `  ${table}: ${count(rows)} rows`),
          "",
        ]
      : []),
    ...(differing.length > 0
      ? [
          paint("Tables that are not what the responses make:", "bad"),
          ...differing.map(differenceText),
          "",
        ]
      : []),
    `${made}; ${differing.length} of ${tables.length} tables differ. Nothing was changed.${lost.length === 0 && unreadable.length === 0 ? " `vaulthouse replay` makes them again." : ""}`,
    "",
  ].join("\n")
}
