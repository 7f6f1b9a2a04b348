// Runs the check of the published files and says what it found.
import * as Effect from "effect/Effect"
import { verify } from "../../pipelines/verify.ts"
import type { Arguments } from "../Command.ts"
import { counted } from "../counted.ts"
import { execute } from "../execute.ts"
import { type ExitCode, exitCodes } from "../exit.ts"
import { textTable } from "../table.ts"
import { paragraph } from "../terminal.ts"

export const runVerify = (argv: Arguments): Promise<ExitCode> =>
  execute(argv, ({ settings: { dataDir } }) =>
    Effect.map(verify(dataDir), (findings) => {
      if (argv["json"] === true) process.stdout.write(`${JSON.stringify(findings)}\n`)
      else if (findings.length === 0) {
        process.stdout.write(`Everything published in ${dataDir} is as its manifest says.\n`)
      } else {
        const rows = findings.map(({ kind, path, detail }) => [kind, path, detail])
        process.stdout.write(`${textTable(["finding", "file", "detail"], rows)}\n`)
        const advice = paragraph(
          `${counted(findings.length, "finding")}. \`vaulthouse publish --all\` makes the copies and every Parquet file again from the warehouse; a damaged archive below \`raw\` can only be restored from a backup.`,
        )
        process.stderr.write(`${advice}\n`)
      }
      return findings.length === 0 ? exitCodes.ok : exitCodes.checks
    }),
  )
