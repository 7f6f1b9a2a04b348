// Sends each receiver what is new for it, and pings after a success. What could not be delivered is new again at the
// next run, so that nothing is lost.
import { hostname } from "node:os"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import * as Semaphore from "effect/Semaphore"
import type { Settings } from "../../config/settings/settings.ts"
import type { Problem } from "../../domain/run/problem.ts"
import type { Proxies } from "../../domain/wire/proxies.ts"
import { redactor } from "../../extract/http/redact.ts"
import { Transport } from "../../extract/http/Transport.ts"
import type { LoadError } from "../../load/errors.ts"
import { readProblems } from "../readers/problems/problems.ts"
import { failedRun } from "../readers/problems/problemTexts.ts"
import {
  afterAttempt,
  afterSending,
  problemChanges,
  isHeldBack,
  isNothing,
  nothingSent,
  type Sent,
} from "./problemChanges.ts"
import { deliver, ping, Undelivered } from "./deliver.ts"
import { messageOf, type Sender, testMessage } from "./message.ts"
import { idOf, isMessageReceiver, nameOf, type Receiver, unreachable } from "./receiver.ts"
import { readSent, writeSent } from "./sentFile.ts"

export interface NotifyOptions {
  readonly receivers: Settings["notify"]
  readonly dataDir: string
  readonly proxies: Proxies
  readonly apiKey: Redacted.Redacted<string> | undefined
}

export interface Delivered {
  /** As in `webhook https://hooks.slack.com (notify[0])`. */
  readonly receiver: string
  readonly state: "ok" | "failed"
  /** `HTTP 200`, or why it was not delivered. */
  readonly detail: string
}

/** How a run ended: whether well enough for a ping, or with an error that last-run.json may not hold. */
export type RunEnd = { readonly isSuccess: boolean } | { readonly error: string }

/** Sends what has changed since each receiver's last message; pings where the run was a success. */
export const notify = Effect.fnUntraced(function* (options: NotifyOptions, end: RunEnd) {
  const { dataDir, receivers } = options
  const problems = yield* problemsAfter(options, end)
  const before = yield* readSent(dataDir)
  const now = yield* Clock.currentTimeMillis
  const sender: Sender = { host: hostname(), dataDir, now }
  const after = new Map(
    receivers
      .filter(isMessageReceiver)
      .map(idOf)
      .map((id) => [id, before.get(id) ?? nothingSent]),
  )
  // Each delivery is recorded when it happened: the next receiver may take half a minute, and the run be killed meanwhile.
  const oneAtATime = yield* Semaphore.make(1)
  let lastRecord = Result.void as Result.Result<void, LoadError>
  const record = Effect.gen(function* () {
    lastRecord = yield* Effect.result(writeSent(dataDir, after))
  }).pipe(Semaphore.withPermit(oneAtATime))
  const sendTo = Effect.fnUntraced(function* (receiver: Receiver) {
    const obstacle = unreachable(receiver)
    if (obstacle !== undefined) return yield* new Undelivered({ detail: obstacle })
    if (!isMessageReceiver(receiver)) {
      const isDue = "isSuccess" in end && end.isSuccess
      return isDue ? yield* ping(receiver.ping, true) : undefined
    }
    const id = idOf(receiver)
    const sent = before.get(id) ?? nothingSent
    const changes = problemChanges(receiver, problems, sent, now)
    if (isNothing(changes) || isHeldBack(sent, changes, now)) return undefined
    const recordAs = (next: Sent) =>
      Effect.andThen(
        Effect.sync(() => after.set(id, next)),
        record,
      )
    const detail = yield* Effect.tapError(
      deliver(receiver, messageOf(changes, sender), true),
      ({ mayHaveArrived }) =>
        mayHaveArrived === true ? recordAs(afterAttempt(sent, now)) : Effect.void,
    )
    yield* recordAs(afterSending(sent, changes, now))
    return detail
  })
  const deliveries = yield* toAll(options, sendTo)
  // It has all deliveries, so that an earlier failure does not matter.
  yield* Effect.fromResult(lastRecord)
  return deliveries
})

/** Sends every receiver a test message, in one attempt; pings too. */
export const notifyTest = Effect.fnUntraced(function* (options: NotifyOptions) {
  const { dataDir } = options
  const sender: Sender = { host: hostname(), dataDir, now: yield* Clock.currentTimeMillis }
  return yield* toAll(options, (receiver) =>
    isMessageReceiver(receiver)
      ? deliver(receiver, testMessage(sender), false)
      : ping(receiver.ping, false),
  )
})

/** The present problems, with the API key redacted. */
const problemsAfter = Effect.fnUntraced(function* (
  { dataDir, apiKey }: NotifyOptions,
  end: RunEnd,
) {
  const recorded = yield* readProblems(dataDir)
  const problems =
    "isSuccess" in end || recorded.some(({ kind }) => kind === "run_failed")
      ? recorded
      : [failedRun(end.error, null), ...recorded]
  const redact = redactor(apiKey === undefined ? undefined : Redacted.value(apiKey))
  return problems.map((problem): Problem => ({
    ...problem,
    text: redact(problem.text),
    advice: redact(problem.advice),
  }))
})

/** The delivery to each receiver, except those with nothing to send. */
const toAll = (
  { receivers, proxies }: NotifyOptions,
  send: (receiver: Receiver) => Effect.Effect<string | undefined, Undelivered, Transport>,
): Effect.Effect<ReadonlyArray<Delivered>> =>
  Effect.forEach(
    receivers,
    (receiver, index) =>
      Effect.match(send(receiver), {
        onSuccess: (detail): ReadonlyArray<Delivered> =>
          detail === undefined ? [] : [{ receiver: nameOf(receiver, index), state: "ok", detail }],
        onFailure: ({ detail }): ReadonlyArray<Delivered> => [
          { receiver: nameOf(receiver, index), state: "failed", detail },
        ],
      }),
    { concurrency: "unbounded" },
  ).pipe(
    Effect.map((all) => all.flat()),
    Effect.provide(Transport.layer(proxies)),
  )
