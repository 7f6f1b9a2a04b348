// Verifies the published files and prints the findings.
import type * as Effect from "effect/Effect"
import { verify } from "../../../pipelines/archive/verify.ts"
import { placeOf } from "../../../pipelines/publication/warehouse.ts"
import { paint } from "../../terminal/color.ts"
import type { Arguments } from "../../parse/Command.ts"
import { execute, stopped } from "../../execute/execute.ts"
import { exitCodes } from "../../parse/exit.ts"
import { counted } from "../../../domain/values/numbers.ts"
import { printError } from "../../terminal/output.ts"
import { printReport } from "../../execute/report.ts"
import { textTable } from "../../terminal/table.ts"
import { paragraph, terminalWidth } from "../../terminal/terminal.ts"

export const runVerify = (argv: Arguments) =>
  execute(
    argv,
    function* ({ settings }) {
      const findings = yield* verify(placeOf(settings))
      printReport(argv, { findings }, () => findingsText(findings, settings.dataDir))
      if (findings.length === 0) return exitCodes.ok
      if (argv["json"] !== true) {
        const { archive = "`raw`", warehouse } = settings
        const advice = `${counted(findings.length, "finding")}. \`vaulthouse publish --all\` writes the published copy and every Parquet file again. What the archive (${archive}) has lost can only be restored from a backup${warehouse === "file" ? "" : ", unless `maintain`, `prune` or `compact` has removed or moved it since this machine last published: publish, then verify again"}.`
        printError(`${paragraph(advice, 0, terminalWidth("stderr"))}\n`)
      }
      return exitCodes.checks
    },
    stopped,
  )

const findingsText = (
  findings: Effect.Success<ReturnType<typeof verify>>,
  dataDir: string,
): string => {
  if (findings.length === 0) {
    return `${paint(`Everything published in ${dataDir} matches its manifest.`, "good")}\n`
  }
  const table = textTable(
    ["finding", "file", "detail"],
    findings.map(({ kind, path, detail }) => [kind, path, detail]),
    { paintCell: (line, column) => (column === 0 ? paint(line, "bad") : line) },
  )
  return `${table}\n`
}
