// What became of an endpoint that met a fault, in a few words, and what must never become of it.
import { tableName, storedTables } from "../../src/domain/table/table.ts"
import { pipelines } from "../../src/pipelines/pipelines.ts"
import { REFUSED, SURROGATE_IN_TEXT } from "./faults.ts"
import type { Sent } from "./faultyService.ts"
import { pageFaults } from "./pageFaults.ts"
import { notOfTheRecord, notSent } from "./sent.ts"
import type { Difference, Stored, StoredTask } from "./stored.ts"

export interface Undisturbed {
  readonly first: Stored
  readonly second: Stored
  readonly third: Stored
}

export interface Disturbed {
  readonly second: Stored
  readonly third: Stored
  readonly sent: ReadonlyMap<string, ReadonlyArray<Sent>>
}

export interface Became {
  readonly outcome: string
  /** As the user reads it. */
  readonly reason: string | undefined
  /** What must not be. */
  readonly problems: ReadonlyArray<string>
}

const landed = new Set(["loaded", "unchanged"])

/** The worst first. */
const order = [
  "failed",
  "quarantined",
  "deferred",
  "skipped",
  "suspicious_empty",
  "unsupported",
  "empty",
  "landed",
]

const outcomeOf = ({ outcome }: StoredTask): string => (landed.has(outcome) ? "landed" : outcome)

/** Faults after which the rows are as the service sent them, since nothing shows that it meant something else. */
export const asSent: ReadonlySet<string> = new Set([
  "empty",
  "a page twice",
  "pages out of order",
  "a cursor that does not move",
  "has_more for ever",
  "field missing",
  "field null",
  "field of another type",
  "unknown field",
  "lone surrogate",
  SURROGATE_IN_TEXT,
  "1e400",
  "a key twice",
])

export const pipelinesOf = (endpoint: string) =>
  pipelines.filter((pipeline) => pipeline.endpoint.name === endpoint)

const tasksOf = (endpoint: string, { tasks }: Stored): ReadonlyArray<StoredTask> => {
  const names = new Set(pipelinesOf(endpoint).map(({ name }) => name))
  return tasks.filter(({ pipeline }) => names.has(pipeline))
}

const tablesOf = (endpoint: string): ReadonlyArray<string> =>
  pipelinesOf(endpoint)
    .flatMap(({ tables }) => tables)
    .flatMap(storedTables)
    .map(tableName)

/** Tables that several pipelines fill have the name of the endpoint in each row. */
const isOf = (endpoint: string, table: string, row: string): boolean =>
  !/response_envelopes|observation_warnings/.test(table) || row.includes(`"endpoint":"${endpoint}"`)

const differences = (
  endpoint: string,
  found: Stored,
  wanted: Stored,
  kind: "rows" | "current" = "rows",
): ReadonlyArray<Difference> =>
  tablesOf(endpoint).flatMap((table) => {
    const [has, had] = [found[kind].get(table), wanted[kind].get(table)]
    if (has === undefined || had === undefined) return []
    const of = (row: string): boolean => isOf(endpoint, table, row)
    const more = [...has].filter((row) => !had.has(row) && of(row))
    const less = [...had].filter((row) => !has.has(row) && of(row))
    return more.length + less.length === 0 ? [] : [{ table, more, less }]
  })

/** Rows that are current before the fault and without it, and not with it. */
const endedIn = (
  endpoint: string,
  { current }: Stored,
  { first, second }: Undisturbed,
): ReadonlyArray<string> =>
  tablesOf(endpoint).flatMap((table) => {
    const without = second.current.get(table)
    const stay = [...(first.current.get(table) ?? [])].filter(
      (row) => without?.has(row) === true && isOf(endpoint, table, row),
    )
    const ended = stay.filter((row) => current.get(table)?.has(row) !== true)
    return ended.map((row) => `a row of ${table} has ended: ${row.slice(0, 500)}`)
  })

const text = ({ table, more, less }: Difference): string =>
  `${table} +${more.length} -${less.length} ${more[0] ?? ""} / ${less[0] ?? ""}`.slice(0, 1500)

const isReadable = (reason: string | null): boolean =>
  reason !== null && reason.length > 10 && !/undefined|\[object|\bat .*\.ts:/.test(reason)

/** `undefined` if the endpoint was not requested. */
export const becameOf = (
  endpoint: string,
  fault: string,
  disturbed: Disturbed,
  undisturbed: Undisturbed,
): Became | undefined => {
  const tasks = tasksOf(endpoint, disturbed.second)
  if (tasks.length === 0) return undefined
  const usual = tasksOf(endpoint, undisturbed.second)
  const problems: Array<string> = []
  const isUsual = (task: StoredTask): boolean =>
    usual.some(
      (each) =>
        each.entity === task.entity &&
        each.window === task.window &&
        outcomeOf(each) === outcomeOf(task),
    )
  const worst = tasks
    .filter((task) => outcomeOf(task) !== "landed" && !isUsual(task))
    .toSorted((one, other) => order.indexOf(outcomeOf(one)) - order.indexOf(outcomeOf(other)))[0]
  // It met other endpoints' faults.
  if (worst?.text?.includes("not sent: every request has failed") === true && fault !== REFUSED)
    return undefined
  const names = pipelinesOf(endpoint).map(({ name }) => name)
  const hasGap = names.some(
    (name) => disturbed.second.gaps.has(name) && !undisturbed.second.gaps.has(name),
  )
  if (worst?.outcome === "quarantined")
    if (!names.some((name) => disturbed.second.quarantined.has(name)))
      problems.push("refused, and not in quarantine")
  for (const each of [...disturbed.second.repeated, ...disturbed.third.repeated])
    problems.push(`there twice: ${each}`)
  const isChanged = asSent.has(fault) || fault in pageFaults
  // What was not read, or was empty where there were rows, ends nothing.
  if (worst !== undefined && (!isChanged || worst.outcome === "suspicious_empty"))
    problems.push(...endedIn(endpoint, disturbed.second, undisturbed))
  const now = differences(endpoint, disturbed.second, undisturbed.second)
  const later = differences(
    endpoint,
    disturbed.third,
    undisturbed.third,
    isChanged ? "current" : "rows",
  )
  // What a service sends of an event, or of a day that is not read again, stays as it was sent.
  const stays = isChanged && later.length > 0 && (worst === undefined || fault in pageFaults)
  const sent = disturbed.sent.get(endpoint) ?? []
  const isNew = ({ table }: Difference, row: string): boolean =>
    undisturbed.first.rows.get(table)?.has(row) !== true
  const added = now.map((each) => ({ ...each, more: each.more.filter((row) => isNew(each, row)) }))
  if (isChanged) problems.push(...notSent(added, sent))
  // The service gave no way to request them, and the run said so.
  const isOutOfReach = stays && tasks.some((task) => task.text?.includes("out of reach") === true)
  if (stays) problems.push(...notOfTheRecord(later, sent, isOutOfReach))
  if (!stays) for (const each of later) problems.push(`the next run leaves ${text(each)}`)
  if (!isChanged) {
    for (const each of now)
      for (const row of each.more)
        if (undisturbed.first.rows.get(each.table)?.has(row) !== true)
          problems.push(`a row of the fault in ${each.table}: ${row.slice(0, 500)}`)
  }
  for (const task of tasksOf(endpoint, disturbed.third)) {
    const { outcome, text: reason } = task
    const before = tasksOf(endpoint, undisturbed.third)
    if (["failed", "quarantined", "deferred", "skipped"].includes(outcome))
      if (!before.some((each) => each.outcome === outcome))
        problems.push(`the next run: ${outcome} ${reason}`)
  }
  if (worst === undefined) {
    const requests = (all: ReadonlyArray<StoredTask>) =>
      all.reduce((sum, each) => sum + each.requests, 0)
    if (now.length > 0) {
      if (!isChanged) problems.push(`differs without a reason: ${now.map(text).join("; ")}`)
      const stay = isOutOfReach ? "as sent, older ones out of reach" : "as sent, stays"
      return { outcome: stays ? stay : "as sent", reason: undefined, problems }
    }
    const isRetried = requests(tasks) > requests(usual)
    return { outcome: isRetried ? "retried" : "complete", reason: undefined, problems }
  }
  if (worst.outcome !== "empty" && !isReadable(worst.text))
    problems.push(`no reason: ${worst.text}`)
  const name = stays ? `${nameOf(worst)}, stays` : nameOf(worst)
  return { outcome: hasGap ? `${name}, gap` : name, reason: worst.text ?? undefined, problems }
}

const nameOf = ({ outcome, tag, text: reason }: StoredTask): string => {
  switch (outcome) {
    case "quarantined":
      return reason?.includes("the others landed") === true ? "record refused" : "refused"
    case "failed":
      return `failed: ${tag}`
    case "skipped":
      return "no access"
    case "suspicious_empty":
      return "empty, rows kept"
    case "unsupported":
    case "empty":
      return "absent"
    default:
      return outcome
  }
}
