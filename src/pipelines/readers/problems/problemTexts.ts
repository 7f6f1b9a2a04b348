// The texts of problems: what is wrong, and what to do about it.
import { API_KEY, API_KEY_FILE } from "../../../config/settings/Setting.ts"
import { MILLIS_PER_HOUR } from "../../../domain/values/time.ts"
import { reasonOf } from "../../../domain/values/errorText.ts"
import { count, counted } from "../../../domain/values/numbers.ts"
import type { Problem } from "../../../domain/run/problem.ts"
import type { HealthRow } from "../../publication/health.ts"
import type { PostgresState } from "../../publication/postgres.ts"
import { clockAdvice, clockText } from "../../run/clock.ts"
import type { KeyAccess } from "../../model/progress.ts"
import { ageHours, ageText, type Freshness } from "./freshness.ts"

/** For a text at the end of a sentence that adds its own full stop. */
const withoutStop = (text: string): string => text.replace(/\.$/, "")

// What there is to do is known then, and not for `doctor` to find out.
const FULL_DISK = /^(.*\bthe disk is full(?: \([^)]*\))?)\. (.+)$/

export const failedRun = (why: string, since: string | null): Problem => {
  const [first = ""] = why.split("\n")
  const [, what = first, advice] = FULL_DISK.exec(first) ?? []
  return {
    kind: "run_failed",
    subject: "sync",
    text: `The last run failed: ${withoutStop(what)}.`,
    advice:
      advice ?? "`vaulthouse doctor` shows what is wrong; the next sync reads what is missing.",
    since,
  }
}

export const failedPublication = (state: PostgresState | undefined): ReadonlyArray<Problem> =>
  state === undefined || state.error === null
    ? []
    : [
        {
          kind: "publication_failed",
          subject: "postgres",
          text: state.error,
          advice: "The next sync tries again; so does `vaulthouse publish`.",
          since: state.failing_since,
        },
      ]

export const clockWrong = (secondsAhead: number, since: string | null): Problem => ({
  kind: secondsAhead > 0 ? "clock_ahead" : "clock_behind",
  subject: "clock",
  text: `${clockText(secondsAhead)}.`,
  advice: `${clockAdvice(secondsAhead)}; \`vaulthouse doctor\` compares the clocks. The next sync checks again.`,
  since,
})

/** `access`: what the newest run that needed a key found; `isOlder`: the pipelines were refused in a run before the newest. */
export const keyRejected = (
  pipelines: ReadonlyArray<string>,
  access: KeyAccess | undefined,
  since: string | null,
  isOlder = false,
): Problem => {
  // The key may be another by now: hourly runs say nothing of what is read once a day.
  const isPast = isOlder && access === "some"
  const what = pipelines.length > 3 ? counted(pipelines.length, "pipeline") : pipelines.join(", ")
  const text =
    pipelines.length === 0
      ? "The service rejects the API key."
      : access === "unknown"
        ? `The service rejects the API key (HTTP 401); not read: ${what}.`
        : access === "none"
          ? `The service denied the API key everything it was used for (HTTP 403); not read: ${what}.`
          : access === "absent"
            ? `Without an API key, the service refused what earlier runs had read with one: ${what}.`
            : isPast
              ? `Not read since the service denied the API key access: ${what}.`
              : `The service no longer gives the API key access to ${what}.`
  return {
    kind: "key_rejected",
    subject: "key",
    text,
    advice:
      access === "absent"
        ? `Set ${API_KEY} or ${API_KEY_FILE} where \`vaulthouse sync\` runs.`
        : `${isPast ? `\`vaulthouse sync ${pipelines.join(" ")}\` reads it now; ` : ""}\`vaulthouse doctor\` shows what the key has access to.`,
    since,
  }
}

const reason = (error: string | undefined): string =>
  error === undefined ? "no reason is known" : withoutStop(reasonOf(error))

export const failingPipeline = (row: HealthRow<"failing">): ReadonlyArray<Problem> => {
  const { pipeline, tasks, failed, deferred, since } = row
  const ofTasks = (affected: number): string =>
    `${affected === tasks ? "" : `${count(affected)} of `}${counted(tasks, "task")}`
  const problems: Array<Problem> = []
  if (failed > 0) {
    problems.push({
      kind: "run_partial",
      subject: pipeline,
      text: `${pipeline}: ${ofTasks(failed)} failed: ${reason(row.failed_text)}.`,
      advice: `${row.waiting === failed ? "`vaulthouse sync --fill-gaps` reads it now" : "The next sync reads it again"}; all errors: \`vaulthouse runs show ${row.run_id}\`.`,
      since,
    })
  }
  if (deferred > 0) {
    problems.push({
      kind: "run_deferred",
      subject: pipeline,
      text: `${pipeline}: ${ofTasks(deferred)} deferred: ${reason(row.deferred_text)}.`,
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
    advice: `\`vaulthouse check --name ${row.name}\` shows them.`,
    since: row.since,
  }
}

/** One problem, however many vaults are late. `now` in milliseconds since 1970. */
export const stale = (of: Freshness, now: number): ReadonlyArray<Problem> => {
  const { subject, stale: late, entities, oldest_at, oldest_name, target_hours } = of
  if (late === 0 || oldest_at === null) return []
  const what =
    oldest_name === null
      ? "stale"
      : late === 1
        ? `stale for ${oldest_name}`
        : `stale for ${count(late)} of ${counted(entities, "vault")}`
  return [
    {
      kind: "stale",
      subject,
      text: `${subject} is ${what}: ${ageText(ageHours(oldest_at, now))} old, target ${target_hours} h.`,
      advice: "Run `vaulthouse sync`; if it stays stale, the service probably has nothing newer.",
      since: new Date(Date.parse(oldest_at) + target_hours * MILLIS_PER_HOUR).toISOString(),
    },
  ]
}

export const quarantined = (row: HealthRow<"quarantine">): Problem => ({
  kind: "quarantine",
  subject: row.pipeline,
  text: `${row.pipeline} has ${counted(row.entries, "entry", "entries")} in quarantine, the newest at ${row.json_path}: ${withoutStop(row.detail)}.`,
  advice:
    "The next sync requests most of them again, `sync --full` the others. `vaulthouse fields` proposes how to declare unknown shapes; `vaulthouse replay --quarantine` then loads them, as after an upgrade.",
  since: row.since,
})

const rangesText = ({ ranges, entities }: HealthRow<"gaps">): string => {
  const more = entities - ranges.length
  return `${ranges.join(", ")}${more > 0 ? ` and of ${count(more)} more` : ""}`
}

export const gap = (row: HealthRow<"gaps">): Problem => {
  const isOpen = row.state === "open"
  const gaps = counted(row.gaps, `${row.state} gap`)
  return {
    kind: isOpen ? "gap" : "permanent_gap",
    subject: row.pipeline,
    text: `${row.pipeline} has ${gaps}: ${rangesText(row)}: ${withoutStop(row.detail)}.`,
    advice: isOpen
      ? "The next sync requests them again."
      : "Only `vaulthouse sync --full` requests them again, and gets them only if the service can return them.",
    since: row.since,
  }
}
