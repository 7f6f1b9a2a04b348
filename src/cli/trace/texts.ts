// The way from a figure back to its response, for people: each step indented below what it explains.
import type { Row } from "../../pipelines/readers/runs.ts"
import {
  fieldsOf,
  type Origins,
  type Trace,
  type TracedFact,
} from "../../pipelines/readers/trace.ts"
import { cellText } from "../rowsTable.ts"

export interface Wish {
  readonly withBody: boolean
}

export const traceText = (found: Trace, wish: Wish): string => {
  const heading = `${found.table}  ${pairs(found.key)}`
  const figures = Object.entries(found.values).map(
    ([name, value]) => `  ${name} = ${valueText(name, value)}`,
  )
  // A table's own row needs no names for its columns: they are the table's.
  const isOwn = found.origins.length === 1 && found.origins[0]?.table === found.table
  return [
    heading,
    ...figures,
    "",
    ...found.origins.flatMap((origins) => originTexts(origins, isOwn, wish)),
    ...(found.origins.length === 0 ? ["No row stands behind it.", ""] : []),
  ].join("\n")
}

/** What numbers something is no amount: 43114 is a chain, 43,114 would be a count. */
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
  wish: Wish,
): ReadonlyArray<string> => {
  const named = Object.entries(columns).map(([column, field]) =>
    column === field ? column : `${column} (${fieldsOf(field).join(", ")})`,
  )
  if (facts.length === 0) {
    return [`${named.join(", ")}: no row of ${table} stands behind it.`, ""]
  }
  const count = facts.length + more
  return [
    ...(isOwn
      ? []
      : [named.join(", "), `← ${table}${count > 1 ? `, ${count.toLocaleString("en")} rows` : ""}`]),
    ...facts.flatMap((fact) => factTexts(fact, isOwn, wish)),
    ...(more > 0 ? [`  (${more.toLocaleString("en")} more rows; --max-rows follows them)`] : []),
    "",
  ]
}

const factTexts = (fact: TracedFact, isOwn: boolean, wish: Wish): ReadonlyArray<string> => [
  ...(isOwn
    ? []
    : [
        `  row       ${pairs(fact.key)}`,
        ...Object.entries(fact.values).map(
          ([name, value]) => `              ${name} = ${valueText(name, value)}`,
        ),
      ]),
  `  known     first at ${cellText(fact.first_seen_at)}, with these values since ${cellText(fact.updated_at)}`,
  ...fact.superseded.flatMap(supersededTexts),
  ...runTexts(fact.run),
  ...responseTexts(fact, wish),
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
    ? ["  run       its record is gone"]
    : [
        `  run       ${cellText(run["run_id"])}: \`${cellText(run["command"])}\`, ${cellText(run["outcome"])}, vaulthouse ${cellText(run["vaulthouse_version"])}`,
      ]

const responseTexts = (
  { response, fragment }: TracedFact,
  { withBody }: Wish,
): ReadonlyArray<string> => {
  if (response === undefined) {
    return [
      "  response  none is archived: vaulthouse wrote this row itself, or the archive was lost",
    ]
  }
  const { request_body: sent } = response
  return [
    `  response  ${cellText(response["response_id"])}: ${cellText(response["endpoint"])}, status ${cellText(response["status"])}, received ${cellText(response["received_at"])}, ${cellText(response["bytes"])} bytes`,
    `              ${cellText(response["method"])} ${cellText(response["url"])}`,
    ...(sent === null ? [] : [`              sent ${cellText(sent)}`]),
    `              raw/${cellText(response["archive_file"])}, frame at byte ${String(response["archive_offset"])}; sha256 ${cellText(response["body_sha256"])}`,
    ...(withBody ? fragmentTexts(fragment) : []),
  ]
}

const fragmentTexts = (fragment: TracedFact["fragment"]): ReadonlyArray<string> =>
  fragment === undefined
    ? ["  body      no part of it has this row's values; its hash is right"]
    : [
        `  body      ${fragment.path}  (found by ${fragment.matched.join(", ")})`,
        ...JSON.stringify(fragment.value, null, 2)
          .split("\n")
          .map((line) => `              ${line}`),
      ]
