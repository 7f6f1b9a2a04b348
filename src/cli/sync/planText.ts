// What a run would do: a table of what it would ask, and why it would not ask the rest.
import type { Plan, PlannedPipeline } from "../../pipelines/run/plan.ts"
import { paint } from "../color.ts"
import { textTable } from "../table.ts"
import { paragraph } from "../terminal.ts"
import { counted } from "../counted.ts"

const namesOf = (pipelines: ReadonlyArray<PlannedPipeline>): string =>
  pipelines.map(({ name }) => name).join(", ")

export const planText = ({ pipelines, requests, seconds, vaultsUnknown }: Plan): string => {
  const asking = pipelines.filter(({ tasks }) => tasks > 0)
  const skipped = pipelines.filter((each) => each.skipped !== undefined)
  const idle = pipelines.filter((each) => !asking.includes(each) && !skipped.includes(each))
  const table = textTable(
    ["pipeline", "tasks", "requests"],
    asking.map(({ name, tasks, requests: expected }) => [
      name,
      tasks.toLocaleString("en"),
      `about ${expected.toLocaleString("en")}`,
    ]),
    ["left", "right", "right"],
  )
  const reasons = [...Map.groupBy(skipped, (each) => each.skipped ?? "")].map(
    ([reason, of]) => `  ${paragraph(`${namesOf(of)}: ${reason}`, 4)}`,
  )
  const time = seconds === undefined ? "" : `, about ${Math.ceil(seconds)} s at the last run's pace`
  return [
    ...(asking.length > 0 ? [table] : []),
    ...(reasons.length > 0 ? ["", paint("Would be skipped:", "aside"), ...reasons] : []),
    ...(idle.length > 0
      ? ["", paragraph(`Nothing to ask${vaultsUnknown ? " yet" : ""}: ${namesOf(idle)}.`, 2)]
      : []),
    "",
    `About ${counted(requests, "request")} in all${time}. Nothing was sent.`,
    ...(vaultsUnknown
      ? [
          paragraph(
            "No vault is known yet: a first run lists them, and then reads every history of each.",
          ),
        ]
      : []),
    "",
  ].join("\n")
}
