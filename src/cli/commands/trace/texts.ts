// The text of a trace, from a value back to its response: each step is indented below what it explains.
import { columnsText } from "../../../pipelines/readers/trace/martRows.ts"
import type { Row } from "../../../pipelines/readers/runs.ts"
import type { Origins, Trace, TracedFact } from "../../../pipelines/readers/trace/trace.ts"
import type { PathOf } from "../../words/archiveLosses.ts"
import { count, counted } from "../../../domain/values/numbers.ts"
import { cellText } from "../../terminal/rowsTable.ts"

export interface TraceOptions {
  readonly withBody: boolean
  readonly pathOf: PathOf
}

export const traceText = (found: Trace, options: TraceOptions): string => {
  const heading = `${found.table}  ${pairs(found.key)}`
  const figures = Object.entries(found.values).map(
    ([name, value]) => `  ${name} = ${valueText(name, value)}`,
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
    : cellText(value)

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
    return [`${named}: derives from no row of ${table}.`, ""]
  }
  const rows = facts.length + more
  return [
    ...(isOwn ? [] : [named, `← ${table}${rows > 1 ? `, ${counted(rows, "row")}` : ""}`]),
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
        `  row       ${pairs(fact.key)}`,
        ...Object.entries(fact.values).map(
          ([name, value]) => `              ${name} = ${valueText(name, value)}`,
        ),
      ]),
  `  loaded    first at ${cellText(fact.first_seen_at)}, with these values since ${cellText(fact.updated_at)}`,
  ...fact.superseded.flatMap(supersededTexts),
  ...runTexts(fact.run),
  ...responseTexts(fact, options),
]

const supersededTexts = (version: Row): ReadonlyArray<string> => {
  const values = Object.entries(version)
    .filter(([name]) => !name.startsWith("_"))
    .map(([name, value]) => `${name} = ${valueText(name, value)}`)
  return [
    `  before    ${values.join(", ")}`,
    `              from ${cellText(version["_updated_at"])} (run ${cellText(version["_run_id"])}) until ${cellText(version["_superseded_at"])} (run ${cellText(version["_superseded_by_run_id"])})`,
  ]
}

const runTexts = (run: Row | undefined): ReadonlyArray<string> =>
  run === undefined
    ? ["  run       not recorded"]
    : [
        `  run       ${cellText(run["run_id"])}: \`${cellText(run["command"])}\`, ${cellText(run["outcome"])}, vaulthouse ${cellText(run["vaulthouse_version"])}`,
      ]

const responseTexts = (
  { response, fragment }: TracedFact,
  { withBody, pathOf }: TraceOptions,
): ReadonlyArray<string> => {
  if (response === undefined) {
    return ["  response  none archived: vaulthouse wrote this row itself, or the archive was lost"]
  }
  const { request_body: sent } = response
  return [
    `  response  ${cellText(response["response_id"])}: ${cellText(response["endpoint"])}, status ${cellText(response["status"])}, received ${cellText(response["received_at"])}, ${cellText(response["bytes"])} bytes`,
    `              ${cellText(response["method"])} ${cellText(response["url"])}`,
    ...(sent === null ? [] : [`              sent ${cellText(sent)}`]),
    `              ${pathOf(cellText(response["archive_file"]))}, frame at byte ${String(response["archive_offset"])}; sha256 ${cellText(response["body_sha256"])}`,
    ...(withBody ? fragmentTexts(fragment) : []),
  ]
}

const fragmentTexts = (fragment: TracedFact["fragment"]): ReadonlyArray<string> =>
  fragment === undefined
    ? ["  body      no part of it has the values of this row; its hash is correct"]
    : [
        `  body      ${fragment.path}  (found by ${fragment.matched.join(", ")})`,
        ...JSON.stringify(fragment.value, null, 2)
          .split("\n")
          .map((line) => `              ${line}`),
      ]
