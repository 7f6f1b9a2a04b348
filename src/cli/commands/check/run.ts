// Runs the checks, or the comparison with the archive, and prints what they found.
import * as Effect from "effect/Effect"
import { nearest } from "../../../config/read/nearest.ts"
import {
  allChecks,
  check,
  coverage,
  hasErrors,
  isNamed,
} from "../../../pipelines/publication/check.ts"
import { type ArchiveComparison, compareWithArchive } from "../../../pipelines/archive/replay.ts"
import type { ContractSettings } from "../../../pipelines/publication/contractChecks.ts"
import { archiveOf } from "../../../pipelines/publication/archiveOf.ts"
import { placeOf } from "../../../pipelines/publication/warehouse.ts"
import type { PathOf } from "../../words/archiveLosses.ts"
import { paint, paintOutcomes } from "../../terminal/color.ts"
import { textsOf } from "../../parse/arguments.ts"
import type { Arguments } from "../../parse/Command.ts"
import { wrongUse } from "../../parse/errors.ts"
import { execute, type Stopped } from "../../execute/execute.ts"
import { type ExitCode, exitCodes } from "../../parse/exit.ts"
import { count, counted } from "../../../domain/values/numbers.ts"
import { printReport } from "../../execute/report.ts"
import { textTable } from "../../terminal/table.ts"
import { paragraph } from "../../terminal/terminal.ts"
import { archiveText } from "./archiveText.ts"
import { failuresText } from "./failuresText.ts"
import type { CheckResult } from "../../../domain/run/checkResult.ts"

type Coverage = Effect.Success<typeof coverage>

const onResponse = () => undefined

const whenStopped: Stopped = {
  code: exitCodes.interrupted,
  text: "vaulthouse: stopped; no result was recorded\n",
}

export const runCheck = (argv: Arguments) =>
  execute(
    argv,
    function* ({ settings }) {
      const { timeFields, fields, contracts } = settings
      const names = textsOf(argv, "name")
      if (argv["against-archive"] === true) {
        if (names.length > 0) {
          return yield* wrongUse("--against-archive compares every table: leave out --name.")
        }
        const place = placeOf(settings)
        const found = yield* compareWithArchive({
          ...place,
          timeFields,
          fields,
          contracts,
          onResponse,
        })
        return printComparison(argv, found, archiveOf(place).pathOf)
      }
      yield* validateNames(names, settings)
      const place = { ...placeOf(settings), memoryLimit: settings.queryMemoryLimit }
      const results = yield* check({ ...place, fields, contracts, names })
      return printResults(argv, results, yield* coverage)
    },
    whenStopped,
  )

const validateNames = Effect.fnUntraced(function* (
  names: ReadonlyArray<string>,
  settings: ContractSettings,
) {
  const checks = yield* allChecks(settings)
  const unknown = names.find((name) => !checks.some((each) => isNamed(each, name)))
  if (unknown === undefined) return
  // A misspelled rule may be given without its table: then the first check with that rule is suggested.
  const all = new Map<string, string>()
  for (const { name } of checks) {
    const table = name.slice(0, name.lastIndexOf("."))
    const parts = [
      [name, name],
      [table, table],
      [table.slice(table.indexOf(".") + 1), table],
    ]
    for (const [part = "", suggestion = ""] of [...parts, [name.slice(table.length + 1), name]]) {
      if (!all.has(part)) all.set(part, suggestion)
    }
  }
  const near = nearest(unknown, [...all.keys()])
  return yield* wrongUse(
    `There is no check \`${unknown}\`${near === undefined ? "." : `; did you mean \`${all.get(near) ?? near}\`?`}`,
    "`vaulthouse check --all` lists them all.",
  )
})

const printResults = (
  argv: Arguments,
  results: ReadonlyArray<CheckResult>,
  notCovered: Coverage,
): ExitCode => {
  printReport(argv, { checks: results, not_covered: notCovered }, () =>
    resultsText(results, argv["all"] === true, notCovered),
  )
  return hasErrors(results) ? exitCodes.checks : exitCodes.ok
}

const resultsText = (
  results: ReadonlyArray<CheckResult>,
  all: boolean,
  notCovered: Coverage,
): string => {
  const withOutcome = (outcome: CheckResult["outcome"]) =>
    results.filter((each) => each.outcome === outcome)
  const failed = withOutcome("failed")
  const errors = failed.filter(({ severity }) => severity === "error").length
  const table = textTable(
    ["check", "severity", "outcome", "rows"],
    results.map(({ name, severity, outcome, failures }) => [
      name,
      severity,
      outcome.replaceAll("_", " "),
      outcome === "failed" ? count(failures) : "",
    ]),
    {
      align: ["left", "left", "left", "right"],
      paintCell: (line, column, row) =>
        column === OUTCOME ? paintOutcome(line, results[row]) : line,
    },
  )
  return [
    ...(all ? [table, ""] : []),
    ...(failed.length > 0 ? ["Checks that failed:", failuresText(failed), ""] : []),
    paintOutcomes(
      `${count(withOutcome("passed").length)} passed, ${count(errors)} failed, ${count(failed.length - errors)} warned, ${count(withOutcome("not_applicable").length)} not applicable.`,
    ),
    ...notApplicableText(withOutcome("not_applicable")),
    notCoveredText(notCovered),
    "",
  ].join("\n")
}

// The column of the outcome in the table of all checks.
const OUTCOME = 2

/** A failed check that is not of severity error is a warning. */
const paintOutcome = (line: string, result: CheckResult | undefined): string =>
  result?.outcome === "failed" && result.severity !== "error"
    ? paint(line, "warning")
    : paintOutcomes(line)

/** Why checks do not apply, and to how many tables. */
const notApplicableText = (checks: ReadonlyArray<CheckResult>): ReadonlyArray<string> => {
  if (checks.length === 0) return []
  const empty = new Set(checks.flatMap(({ emptyTables }) => emptyTables))
  return [
    paragraph(
      `Not applicable: ${counted(empty.size, "table")} these checks need ${empty.size === 1 ? "has" : "have"} no rows (not read, not accessible with this key, or empty); \`--all\` lists the checks.`,
      2,
    ),
  ]
}

const notCoveredText = ({ figures, uncheckedFigures }: Coverage): string =>
  paragraph(
    `Not covered: ${count(uncheckedFigures.length)} of ${count(figures)} figures, for which any number passes (docs/checks.md lists them); and whether a possible figure is the one that the service sent: \`--against-archive\` compares each row with its response.`,
    2,
  )

const printComparison = (
  argv: Arguments,
  comparison: ArchiveComparison,
  pathOf: PathOf,
): ExitCode => {
  printReport(argv, comparison, () => archiveText(comparison, pathOf))
  const { tables, lost, unreadable } = comparison
  const isSame = tables.every((table) => table.isSame)
  return isSame && lost.length === 0 && unreadable.length === 0 ? exitCodes.ok : exitCodes.checks
}
