// The block of README.md that shows what a run prints and what one gets for it.
import { join } from "node:path"
import { outcomeText, pipelinesTable } from "../src/cli/sync/summaryText.ts"
import { chart, chartQuestion } from "./chart.ts"
import type { ExampleWarehouse } from "./exampleWarehouse.ts"
import { answerOf } from "./guide.ts"

export const readmeFile = join(import.meta.dirname, "../README.md")

const block = /(<!-- shown -->\n)[\s\S]*?(<!-- \/shown -->)/

/** Pipelines that speak for all of them. */
const SHOWN = ["vaults", "ratio_history", "apy_history", "allocation_history", "transactions"]

const QUESTION = [
  "select vault_name, collateral_ratio, apy_smoothed",
  "from mart.vault_latest order by backing desc nulls last limit 3",
]

/** The README with its block as it is now. */
export const withShown = async (readme: string, example: ExampleWarehouse): Promise<string> => {
  const { connection, first } = example
  const shown = SHOWN.flatMap((name) => first.pipelines.find((each) => each.name === name) ?? [])
  const others = first.pipelines.length - shown.length
  const days = await connection.runAndReadAll(chartQuestion)
  const text = [
    "```text",
    "$ npx vaulthouse sync --base-url http://127.0.0.1:8080",
    // Seconds are another machine's.
    pipelinesTable(shown, Infinity).replaceAll(/ +(seconds|[\d.]+)$/gm, ""),
    `… ${others} more`,
    "",
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
