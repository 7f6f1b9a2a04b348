// What is new for a receiver: the present problems, compared with those it was sent. Pure.
import { MILLIS_PER_HOUR } from "../../domain/values/time.ts"
import type { Problem, ProblemKind } from "../../domain/run/problem.ts"
import type { MessageReceiver } from "./receiver.ts"

/** A problem as it was sent to a receiver. */
export interface SentProblem extends Problem {
  /** When it was last sent. */
  readonly sent_at: string
}

/** What one receiver was sent. */
export interface Sent {
  /** The problems it was sent, without those it was sent as resolved. */
  readonly open: ReadonlyArray<SentProblem>
  /** When messages went to it within the last hour. */
  readonly messages: ReadonlyArray<string>
}

export const nothingSent: Sent = { open: [], messages: [] }

export interface ProblemChanges {
  readonly begun: ReadonlyArray<Problem>
  readonly resolved: ReadonlyArray<Problem>
  /** Problems that last, and are due to be repeated. */
  readonly repeated: ReadonlyArray<Problem>
  /** Number of present problems. */
  readonly open: number
}

// Enough for the problems of a bad hour to begin and be resolved; one that comes and goes does not flood a receiver.
const MESSAGES_PER_HOUR = 6
// Of those, only for the beginning of what keeps a run from reading anything, however many lesser problems come and go.
const MESSAGES_PER_HOUR_IN_RESERVE = 2
const URGENT: ReadonlySet<ProblemKind> = new Set(["run_failed", "key_rejected"])
// Deferrals come and go with the load of the service, and mend themselves: they leave the others for what does not.
const MESSAGES_PER_HOUR_OF_DEFERRALS = 2
const OF_TASKS: ReadonlySet<ProblemKind> = new Set(["run_partial", "run_deferred"])

const identityOf = ({ kind, subject }: Problem): string => `${kind} ${subject}`

export const problemChanges = (
  { on, remindAfter }: MessageReceiver,
  problems: ReadonlyArray<Problem>,
  { open }: Sent,
  now: number,
): ProblemChanges => {
  const wanted = problems.filter(({ kind }) => on.includes(kind))
  const before = new Map(open.map((problem) => [identityOf(problem), problem]))
  const present = new Set(wanted.map(identityOf))
  // A run that failed as a whole is the only problem to report about it: what its tasks would say is not known.
  const isFailed = problems.some(({ kind }) => kind === "run_failed")
  const isHidden = ({ kind }: Problem): boolean => isFailed && OF_TASKS.has(kind)
  const isDue = (problem: Problem): boolean => {
    const sentAt = before.get(identityOf(problem))?.sent_at
    // Nothing can be done about a permanent gap.
    if (sentAt === undefined || remindAfter === undefined || problem.kind === "permanent_gap") {
      return false
    }
    const age = now - Date.parse(sentAt)
    // One that is to come was sent while the clock was ahead.
    return age < 0 || age >= remindAfter * 1000
  }
  return {
    begun: wanted.filter((problem) => !before.has(identityOf(problem))),
    resolved: open.filter((problem) => !present.has(identityOf(problem)) && !isHidden(problem)),
    repeated: wanted.filter(isDue),
    open: wanted.length,
  }
}

export const isNothing = ({ begun, resolved, repeated }: ProblemChanges): boolean =>
  begun.length + resolved.length + repeated.length === 0

/** Those dated after now are left out: the clock was ahead then, perhaps by days. */
const withinHour = ({ messages }: Sent, now: number): ReadonlyArray<string> =>
  messages.filter((at) => {
    const age = now - Date.parse(at)
    return age >= 0 && age < MILLIS_PER_HOUR
  })

/** Whether the receiver has had as many messages within the hour as it may; its changes wait for a later run. */
export const isHeldBack = (sent: Sent, changes: ProblemChanges, now: number): boolean => {
  const changed = [...changes.begun, ...changes.resolved, ...changes.repeated]
  const isDeferrals = changed.every(({ kind }) => kind === "run_deferred")
  const isUrgent = changes.begun.some(({ kind }) => URGENT.has(kind))
  const most = isDeferrals
    ? MESSAGES_PER_HOUR_OF_DEFERRALS
    : MESSAGES_PER_HOUR - (isUrgent ? 0 : MESSAGES_PER_HOUR_IN_RESERVE)
  return withinHour(sent, now).length >= most
}

/** What the receiver was sent once a message went to it that it may or may not have: sent again, and counted. */
export const afterAttempt = (sent: Sent, now: number): Sent => ({
  open: sent.open,
  messages: [...withinHour(sent, now), new Date(now).toISOString()],
})

/** What the receiver was sent once it has these changes. */
export const afterSending = (sent: Sent, changes: ProblemChanges, now: number): Sent => {
  const sentAt = new Date(now).toISOString()
  const fresh = [...changes.begun, ...changes.repeated]
  const replaced = new Set([...fresh, ...changes.resolved].map(identityOf))
  return {
    open: [
      ...sent.open.filter((problem) => !replaced.has(identityOf(problem))),
      ...fresh.map((problem) => ({ ...problem, sent_at: sentAt })),
    ],
    messages: afterAttempt(sent, now).messages,
  }
}
