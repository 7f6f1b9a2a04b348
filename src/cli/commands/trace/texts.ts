// The text of a trace, from a value back to its response: each step is indented below what it explains.
import { fragmentText, shortValue } from "../../../pipelines/readers/trace/fragment.ts"
import { columnsText } from "../../../pipelines/readers/trace/martRows.ts"
import type { Row } from "../../../pipelines/readers/runs.ts"
import type { Origins, Trace, TracedFact } from "../../../pipelines/readers/trace/trace.ts"
import type { PathOf } from "../../words/archiveLosses.ts"
import { count, counted } from "../../../domain/values/numbers.ts"
import { cellText } from "../../terminal/rowsTable.ts"
import { paragraph } from "../../terminal/terminal.ts"

export interface TraceOptions {
  readonly withBody: boolean
  readonly pathOf: PathOf
}

const VALUE_INDENT = 14

/** On a terminal, what does not fit into a line goes on below, indented. */
const labelled = (label: string, text: string): string =>
  `  ${label.padEnd(10)}${paragraph(text, VALUE_INDENT)}`

const below = (text: string): string => " ".repeat(VALUE_INDENT) + paragraph(text, VALUE_INDENT)

export const traceText = (found: Trace, options: TraceOptions): string => {
  const heading = paragraph(`${found.table}  ${pairs(found.key)}`, 2)
  const figures = Object.entries(found.values).map(
    ([name, value]) => `  ${paragraph(`${name} = ${valueText(name, value)}`, 4)}`,
  )
  // A row of a table is its own origin, so its columns are not named again.
  const isOwn = found.origins.length === 1 && found.origins[0]?.table === found.table
  return [
    heading,
    ...figures,
    "",
    ...found.origins.flatMap((origins) => originTexts(origins, isOwn, options)),
    ...(found.origins.length === 0 ? ["It derives from no row.", ""] : []),
  ].join("\n")
}

/** An id is not an amount: chain 43114, but 43,114 rows. */
const valueText = (name: string, value: unknown): string =>
  typeof value === "number" && /(^|_)(id|ordinal|year)$/.test(name)
    ? String(value)
    : plainText(shortValue(value))

const INSTANT = /^\d{4}-\d\d-\d\dT[\d:.]+Z$/

const plainText = (value: unknown): string =>
  `${cellText(value)}${typeof value === "string" && INSTANT.test(value) ? " UTC" : ""}`

const pairs = (row: Row): string =>
  Object.entries(row)
    .map(([name, value]) => `${name} ${valueText(name, value)}`)
    .join("  ")

const originTexts = (
  { table, columns, facts, more }: Origins,
  isOwn: boolean,
  options: TraceOptions,
): ReadonlyArray<string> => {
  const named = columnsText(columns)
  if (facts.length === 0) {
    return [paragraph(`${named}: derives from no row of ${table}.`, 2), ""]
  }
  const rows = facts.length + more
  return [
    ...(isOwn
      ? []
      : [paragraph(named, 2), `← ${table}${rows > 1 ? `, ${counted(rows, "row")}` : ""}`]),
    ...facts.flatMap((fact) => factTexts(fact, isOwn, options)),
    ...(more > 0 ? [`  (${count(more)} more rows; --max-rows traces them)`] : []),
    "",
  ]
}

const factTexts = (
  fact: TracedFact,
  isOwn: boolean,
  options: TraceOptions,
): ReadonlyArray<string> => [
  ...(isOwn
    ? []
    : [
        labelled("row", pairs(fact.key)),
        ...Object.entries(fact.values).map(([name, value]) =>
          below(`${name} = ${valueText(name, value)}`),
        ),
      ]),
  labelled(
    "loaded",
    `first at ${plainText(fact.first_seen_at)}, with these values since ${plainText(fact.updated_at)}`,
  ),
  ...fact.superseded.flatMap(supersededTexts),
  ...runTexts(fact.run),
  ...responseTexts(fact, options),
]

const supersededTexts = (version: Row): ReadonlyArray<string> => {
  const values = Object.entries(version)
    .filter(([name]) => !name.startsWith("_"))
    .map(([name, value]) => `${name} = ${valueText(name, value)}`)
  return [
    labelled("before", values.join(", ")),
    below(
      `from ${plainText(version["_updated_at"])} (run ${cellText(version["_run_id"])}) until ${plainText(version["_superseded_at"])} (run ${cellText(version["_superseded_by_run_id"])})`,
    ),
  ]
}

const runTexts = (run: Row | undefined): ReadonlyArray<string> =>
  run === undefined
    ? [labelled("run", "not recorded")]
    : [
        labelled(
          "run",
          `${cellText(run["run_id"])}: \`${cellText(run["command"])}\`, ${cellText(run["outcome"])}, vaulthouse ${cellText(run["vaulthouse_version"])}`,
        ),
      ]

const responseTexts = (
  { response, fragment }: TracedFact,
  { withBody, pathOf }: TraceOptions,
): ReadonlyArray<string> => {
  if (response === undefined) {
    const why = "none archived: vaulthouse wrote this row itself, or the archive was lost"
    return [labelled("response", why)]
  }
  const { request_body: sent } = response
  return [
    labelled(
      "response",
      `${cellText(response["response_id"])}: ${cellText(response["endpoint"])}, status ${cellText(response["status"])}, received ${plainText(response["received_at"])}, ${cellText(response["bytes"])} bytes`,
    ),
    below(`${cellText(response["method"])} ${cellText(response["url"])}`),
    ...(sent === null ? [] : [below(`sent ${cellText(sent)}`)]),
    below(
      `${pathOf(cellText(response["archive_file"]))}, frame at byte ${String(response["archive_offset"])}; sha256 ${cellText(response["body_sha256"])}`,
    ),
    ...(withBody ? fragmentTexts(fragment) : []),
  ]
}

const fragmentTexts = (fragment: TracedFact["fragment"]): ReadonlyArray<string> => {
  if (fragment === undefined) {
    return [labelled("body", "no part of it has the values of this row; its hash is correct")]
  }
  const { text, leftOut } = fragmentText(fragment)
  return [
    labelled("body", `${fragment.path}  (found by ${fragment.matched.join(", ")})`),
    // Lines stay whole, so that they can be copied.
    ...text.split("\n").map((line) => `              ${line}`),
    ...(leftOut > 0 ? [below(`(${count(leftOut)} more characters; --json prints all)`)] : []),
  ]
}
