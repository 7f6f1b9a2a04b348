// Transactions of every subaccount: the whole history once, later what came since, with an overlap for what
// the service decodes late.
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { JsonObject } from "../../domain/json.ts"
import type { SubaccountRef } from "../../domain/subaccount.ts"
import { endOfDay, formatInstant, MICROS_PER_DAY, startOfDay } from "../../domain/time.ts"
import { type Answer, ApiClient } from "../../extract/ApiClient.ts"
import { transactions as endpoint } from "../../extract/endpoints/subaccounts/transactions.ts"
import {
  type TimeRead,
  type TimeStep,
  type TimeWindow,
  timeWindows,
} from "../../extract/paginators/timeWindows.ts"
import type { MappedAnswer } from "../../transform/Source.ts"
import { transactionRows, transactions } from "../../transform/tables/subaccounts/transactions.ts"
import { landed } from "../run/landed.ts"
import type { GapNote, Pipeline, RunContext, Step, Target } from "../Pipeline.ts"
import { subaccounts, subaccountSources } from "../walks/targets.ts"
import { readTimeCursor, writeTimeCursor } from "../walks/timeCursor.ts"

interface Content {
  readonly answer: Answer<ReadonlyArray<JsonObject>>
  readonly mapped: MappedAnswer
}

const ask = Effect.fnUntraced(function* (
  { entity, subject }: Target<SubaccountRef>,
  { from, to }: TimeWindow,
  { timeFields }: RunContext,
) {
  const client = yield* ApiClient
  const inputs = {
    subaccountAddress: subject.served,
    ...(from === undefined ? {} : { startTime: from }),
    ...(to === undefined ? {} : { endTime: to }),
  }
  const answer = yield* client.call(endpoint, inputs, subject)
  const asked = { entity, subject, inputs, timeFields }
  const mapped = yield* landed(transactionsPipeline, asked, answer)
  const at = transactions.columns.findIndex(({ name }) => name === transactions.time)
  const rows = mapped.rows.find(({ table }) => table === transactions)
  const times = (rows?.columns[at] ?? []) as ReadonlyArray<number>
  return { content: { answer, mapped }, times } satisfies TimeRead<Content>
})

const windowText = ({ from, to }: TimeWindow): string =>
  `${from === undefined ? "" : formatInstant(from)}..${to === undefined ? "" : formatInstant(to)}`

const toStep = (entity: string, step: TimeStep<Content>): Step => {
  const { answer, mapped } = step.content
  const window = windowText(step.window)
  const tie: ReadonlyArray<GapNote> =
    step.tie === undefined
      ? []
      : [
          {
            fromAt: step.tie,
            toAt: step.tie,
            reason: "tie",
            state: "permanent",
            detail: `more transactions at ${formatInstant(step.tie)} than an answer holds; the service has no way to ask for the others`,
          },
        ]
  const warning = step.suspicious
    ? `no transactions in ${window}, where there were some before; kept them`
    : step.unheeded
      ? "the service does not heed endTime, so older transactions may be out of reach; the setting wire.names can say what it calls it"
      : tie[0]?.detail
  return {
    window,
    endpoint: endpoint.name,
    outcome: step.suspicious ? "suspicious_empty" : step.count === 0 ? "empty" : "landed",
    rows: step.count === 0 ? [] : mapped.rows,
    responses: answer.responses,
    requests: answer.attempts,
    gaps: tie,
    drift: mapped.drift,
    ...(step.cursor === undefined
      ? {}
      : { cursor: { entity, value: writeTimeCursor(step.cursor) } }),
    ...(warning === undefined ? {} : { warning }),
  }
}

export const transactionsPipeline: Pipeline<SubaccountRef, ReadonlyArray<JsonObject>> = {
  name: "transactions",
  title: "Transactions",
  tables: [transactions],
  endpoint,
  after: subaccountSources,
  targets: subaccounts,
  rows: transactionRows,
  steps: (target, memory, context) =>
    timeWindows({
      cursor: context.full ? undefined : readTimeCursor(memory.cursor(memory.entity)),
      overlap: context.overlapDays * MICROS_PER_DAY,
      since: context.since === undefined ? undefined : startOfDay(context.since),
      until: context.until === undefined ? undefined : endOfDay(context.until),
      read: (window) => ask(target, window, context),
    }).pipe(Stream.map((step) => toStep(memory.entity, step))),
  // A first walk has to see that nothing is older; how many answers that takes nobody knows before.
  expectedRequests: (_target, memory, context) =>
    context.full || readTimeCursor(memory.cursor(memory.entity)) === undefined ? 2 : 1,
}
