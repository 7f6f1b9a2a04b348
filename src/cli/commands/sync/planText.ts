// What a run would do: a table of its requests, and why it would not read the rest.
import type { Plan, PlannedPipeline } from "../../../pipelines/run/plan.ts"
import { paint } from "../../terminal/color.ts"
import { duration } from "../../words/numbers.ts"
import { textTable } from "../../terminal/table.ts"
import { paragraph } from "../../terminal/terminal.ts"
import { count, counted } from "../../../domain/values/numbers.ts"

const namesOf = (pipelines: ReadonlyArray<PlannedPipeline>): string =>
  pipelines.map(({ name }) => name).join(", ")

export const planText = ({ pipelines, requests, seconds, vaultsUnknown }: Plan): string => {
  const reading = pipelines.filter(({ tasks }) => tasks > 0)
  const skipped = pipelines.filter((each) => each.skipped !== undefined)
  const idle = pipelines.filter((each) => !reading.includes(each) && !skipped.includes(each))
  const table = textTable(
    ["pipeline", "tasks", "requests"],
    reading.map(({ name, tasks, requests: expected }) => [
      name,
      count(tasks),
      `about ${count(expected)}`,
    ]),
    { align: ["left", "right", "right"] },
  )
  const reasons = [...Map.groupBy(skipped, (each) => each.skipped ?? "")].map(
    ([reason, group]) => `  ${paragraph(`${namesOf(group)}: ${reason}`, 4)}`,
  )
  const time = seconds === undefined ? "" : `, about ${duration(Math.max(1, seconds))}`
  return [
    ...(reading.length > 0 ? [table] : []),
    ...(reasons.length > 0 ? ["", paint("Would be skipped:", "aside"), ...reasons] : []),
    ...(idle.length > 0
      ? ["", paragraph(`Nothing to read${vaultsUnknown ? " yet" : ""}: ${namesOf(idle)}.`, 2)]
      : []),
    ...notLimitedText(pipelines.filter((each) => each.skipped === undefined)),
    "",
    `About ${counted(requests, "request")} in all${time}. Nothing was sent.`,
    ...(vaultsUnknown
      ? [
          paragraph(
            "No vault is known yet: the first run lists the vaults, then reads every history of each.",
          ),
        ]
      : []),
    "",
  ].join("\n")
}

/** Without what is read as it is now, which no range could limit. */
const notLimitedText = (pipelines: ReadonlyArray<PlannedPipeline>): ReadonlyArray<string> => {
  const parts = (["since", "until"] as const).flatMap((end) => {
    const beyond = pipelines.filter(({ notLimitedBy = [] }) => notLimitedBy.includes(end))
    return beyond.length === 0 ? [] : [`--${end} does not limit ${namesOf(beyond)}.`]
  })
  return parts.length === 0 ? [] : ["", paragraph(parts.join(" "), 2)]
}
