// The block of README.md that shows what a run prints and what one gets for it.
import { join } from "node:path"
import { landedTable } from "../src/cli/commands/sync/pipelineTexts.ts"
import { outcomeText } from "../src/cli/commands/sync/summaryText.ts"
import { chart, chartQuestion } from "./chart.ts"
import type { ExampleWarehouse } from "./exampleWarehouse.ts"
import { answerOf } from "./guide.ts"

export const readmeFile = join(import.meta.dirname, "../README.md")

const block = /(<!-- shown -->\n)[\s\S]*?(<!-- \/shown -->)/

const ROWS = 6

const QUESTION = [
  "select vault_name, collateral_ratio, apy_smoothed",
  "from mart.vault_latest where not is_ended order by apy_smoothed desc limit 3",
]

/** The README with its block as it is now. */
export const withShown = async (readme: string, example: ExampleWarehouse): Promise<string> => {
  const { connection, first } = example
  const days = await connection.runAndReadAll(chartQuestion)
  const text = [
    "```text",
    "$ npx vaulthouse sync --base-url http://127.0.0.1:8080",
    ...landedTable(first.pipelines, ROWS, Infinity),
    "",
    // Seconds are another machine's.
    outcomeText(first, "./data").replace(/, [^,)]*\)/, ")"),
    "",
    `$ npx vaulthouse query "${QUESTION.join("\n    ")}"`,
    await answerOf(connection, { sql: QUESTION.join("\n"), given: [] }),
    "",
    chart(days.getRowObjectsJson()) ?? "",
    "```",
    "",
  ].join("\n")
  return readme.replace(block, (_, before: string, after: string) => before + text + after)
}
