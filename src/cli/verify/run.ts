// Runs the check of the published files and says what it found.
import * as Effect from "effect/Effect"
import { verify } from "../../pipelines/archive/verify.ts"
import { paint } from "../color.ts"
import type { Arguments } from "../Command.ts"
import { counted } from "../counted.ts"
import { execute } from "../execute.ts"
import { type ExitCode, exitCodes } from "../exit.ts"
import { textTable } from "../table.ts"
import { paragraph, terminalWidth } from "../terminal.ts"

export const runVerify = (argv: Arguments): Promise<ExitCode> =>
  execute(argv, ({ settings: { dataDir } }) =>
    Effect.map(verify(dataDir), (findings) => {
      if (argv["json"] === true) process.stdout.write(`${JSON.stringify(findings)}\n`)
      else if (findings.length === 0) {
        const told = `Everything published in ${dataDir} is as its manifest says.`
        process.stdout.write(`${paint(told, "good")}\n`)
      } else {
        const rows = findings.map(({ kind, path, detail }) => [kind, path, detail])
        const table = textTable(
          ["finding", "file", "detail"],
          rows,
          [],
          terminalWidth(),
          (line, column) => (column === 0 ? paint(line, "bad") : line),
        )
        process.stdout.write(`${table}\n`)
        const advice = paragraph(
          `${counted(findings.length, "finding")}. \`vaulthouse publish --all\` makes the copies and every Parquet file again from the warehouse; a damaged archive below \`raw\` can only be restored from a backup.`,
        )
        process.stderr.write(`${advice}\n`)
      }
      return findings.length === 0 ? exitCodes.ok : exitCodes.checks
    }),
  )
