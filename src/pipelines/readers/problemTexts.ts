// Problems from what health.json has of the warehouse, in words.
import type { Problem } from "../model/problem.ts"
import type { Health, HealthRow } from "../publication/health.ts"

const number = (value: number, digits = 0): string =>
  value.toLocaleString("en", { maximumFractionDigits: digits })

export const counted = (value: number, one: string, many = `${one}s`): string =>
  `${number(value)} ${value === 1 ? one : many}`

/** For a text that a sentence ends with. */
export const withoutStop = (text: string): string => text.replace(/\.$/, "")

export const failingPipeline = (row: HealthRow<"failing">): ReadonlyArray<Problem> => {
  const { pipeline, tasks, failed, deferred, since } = row
  const ofTasks = (count: number): string =>
    tasks === 1 ? pipeline : `${number(count)} of ${counted(tasks, "task")} of ${pipeline}`
  const problems: Array<Problem> = []
  if (failed > 0) {
    problems.push({
      kind: "run_partial",
      subject: pipeline,
      text: `${ofTasks(failed)} failed: ${withoutStop(row.failed_text ?? "no reason is known")}.`,
      advice: `The next sync reads what is missing; \`vaulthouse runs show ${row.run_id}\` has all errors.`,
      since,
    })
  }
  if (deferred > 0) {
    problems.push({
      kind: "run_deferred",
      subject: pipeline,
      text: `${ofTasks(deferred)} had to wait longer than a run may: ${withoutStop(row.deferred_text ?? "rate limit")}.`,
      advice: "The next sync continues from there; `--max-requests-per-second` limits the rate.",
      since,
    })
  }
  return problems
}

export const failedCheck = (row: HealthRow<"failed_checks">): Problem => {
  const wrong = row.severity === "error" ? "wrong row" : "implausible row"
  return {
    kind: "failed_check",
    subject: row.name,
    text: `The check ${row.name} found ${counted(row.failures, wrong)}.`,
    advice: `\`vaulthouse check ${row.name}\` shows them.`,
    since: row.since,
  }
}

const MILLIS_PER_HOUR = 3_600_000

interface Dated extends HealthRow<"freshness"> {
  /** Milliseconds since 1970. */
  readonly newestAt: number
}

/** One for each series or pipeline, however many vaults it is late for. `now` in milliseconds since 1970. */
export const staleSubjects = (
  freshness: Health["freshness"],
  now: number,
): ReadonlyArray<Problem> => {
  const dated = freshness.flatMap((row): ReadonlyArray<Dated> => {
    const { newest_at } = row
    return newest_at === undefined ? [] : [{ ...row, newestAt: Date.parse(newest_at) }]
  })
  const isLate = ({ newestAt, target_hours }: Dated): boolean =>
    now - newestAt > target_hours * MILLIS_PER_HOUR
  return [...Map.groupBy(dated, ({ subject }) => subject).values()].flatMap((rows) => {
    const late = rows.filter(isLate).toSorted((a, b) => a.newestAt - b.newestAt)
    return late.length === 0 ? [] : [stale(late, rows, now)]
  })
}

const entitiesOf = (rows: ReadonlyArray<Dated>): number =>
  rows.reduce((sum, { entities }) => sum + entities, 0)

/** `late`: the oldest first. */
const stale = (late: ReadonlyArray<Dated>, all: ReadonlyArray<Dated>, now: number): Problem => {
  const [{ subject, newestAt, target_hours, example }] = late as readonly [Dated]
  const age = `${number((now - newestAt) / MILLIS_PER_HOUR, 1)} h old`
  const isOne = entitiesOf(late) === 1
  const what =
    example === undefined
      ? `${subject} is ${age}`
      : isOne
        ? `${subject} of ${example} is ${age}`
        : `${subject} of ${number(entitiesOf(late))} of ${counted(entitiesOf(all), "vault")} is late, of ${example} ${age}`
  return {
    kind: "stale",
    subject,
    text: `${what}; the target is ${target_hours} h.`,
    advice: "Run `vaulthouse sync`; where that loads nothing newer, the service has nothing newer.",
    since: new Date(newestAt + target_hours * MILLIS_PER_HOUR).toISOString(),
  }
}

export const quarantined = (row: HealthRow<"quarantine">): Problem => ({
  kind: "quarantine",
  subject: row.pipeline,
  text: `${row.pipeline} has ${counted(row.entries, "entry", "entries")} in quarantine, the newest at ${row.json_path}: ${withoutStop(row.detail)}.`,
  advice:
    "The next sync requests them again; after an upgrade `vaulthouse replay --quarantine` loads them.",
  since: row.since,
})

export const gap = (row: HealthRow<"gaps">): Problem => {
  const isOpen = row.state === "open"
  const gaps = counted(row.gaps, `${row.state} gap`)
  return {
    kind: isOpen ? "gap" : "permanent_gap",
    subject: row.pipeline,
    text: `${row.pipeline} has ${gaps} between ${row.from_at.slice(0, 10)} and ${row.to_at.slice(0, 10)}: ${withoutStop(row.detail)}.`,
    advice: isOpen
      ? "The next sync requests them again."
      : "The service no longer has them; `vaulthouse sync --fill-gaps` requests them again.",
    since: row.since,
  }
}
