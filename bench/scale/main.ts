// The cost model and the simulation of docs/scale.md: `make bench ARGS=scale`. Prints the tables and writes them into the
// page, between the comments that name them.
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { TASKS_AT_ONCE } from "../../src/pipelines/model/Pipeline.ts"
import { readConstants } from "./constants.ts"
import { costsOf, settingOf } from "./model.ts"
import { simulate } from "./simulation.ts"
import {
  constantsTable,
  grainText,
  inputsTable,
  costsTable,
  requestsTable,
  type Result,
  speedTable,
  unitsTable,
} from "./tables.ts"

const page = join(import.meta.dirname, "../../docs/scale.md")

const WORKERS = [1, 4, 16]
const LIMITS = [100, 1000, 10_000]
const LARGER_COMMITS = [256, 1024]
/** The tasks of a claim as workers take it, and of a coarser one for the year's simulation. */
const FINE = 64
const COARSE = 4096
const DAY = 24 * 3600

const withTable = (text: string, name: string, table: string): string => {
  const marked = new RegExp(`(<!-- ${name} -->\n)[^]*?(\n<!-- /${name} -->)`)
  if (!marked.test(text)) throw new Error(`docs/scale.md has no comments for \`${name}\``)
  return text.replace(marked, (_all, begin: string, end: string) => `${begin}\n${table}\n${end}`)
}

export const benchScale = (): void => {
  const constants = readConstants()
  const yearOf = (workers: number, limit: number, groupTasks = TASKS_AT_ONCE): Result => {
    const setting = { ...settingOf(constants, workers, limit, COARSE), groupTasks }
    const year = simulate(setting)
    return { setting, year, costs: costsOf(constants, setting, year) }
  }
  const results = LIMITS.flatMap((limit) => WORKERS.map((workers) => yearOf(workers, limit)))
  const inLargerCommits = LARGER_COMMITS.flatMap((tasks) =>
    WORKERS.map((workers) => yearOf(workers, 10_000, tasks)),
  )
  const [fine, coarse] = [FINE, COARSE].map((grain) =>
    simulate(settingOf(constants, 4, 1000, grain, 2 * DAY)),
  )
  const tables = {
    inputs: inputsTable(),
    requests: requestsTable(constants),
    units: unitsTable(constants),
    constants: constantsTable(constants),
    speed: speedTable([...results, ...inLargerCommits]),
    costs: costsTable([...results, ...inLargerCommits]),
    grain: grainText(FINE, COARSE, fine, coarse),
  }
  console.log(Object.values(tables).join("\n\n"))
  writeFileSync(
    page,
    Object.entries(tables).reduce(
      (text, [name, table]) => withTable(text, name, table),
      readFileSync(page, "utf8"),
    ),
  )
}
