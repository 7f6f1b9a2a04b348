// What a run would do, as a table.
import type { Plan } from "../../pipelines/plan.ts"
import { textTable } from "../table.ts"

export const planText = (plan: Plan): string => {
  const table = textTable(
    ["pipeline", "tasks", "requests"],
    plan.pipelines.map(({ name, tasks, requests }) => [
      name,
      tasks.toLocaleString("en"),
      `about ${requests.toLocaleString("en")}`,
    ]),
    ["left", "right", "right"],
  )
  const time =
    plan.seconds === undefined ? "" : `, about ${Math.ceil(plan.seconds)} s at the last run's pace`
  const note = plan.vaultsUnknown
    ? "No vault is known yet: a first run lists them, and then reads every history of each.\n"
    : ""
  return `${table}\nAbout ${plan.requests.toLocaleString("en")} requests in all${time}. Nothing was sent.\n${note}`
}
