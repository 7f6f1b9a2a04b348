// A process that sends as many requests as its budget allows: node sender.ts SECONDS TASKS DATABASE URL…
// DATABASE: a connection string, or `none` for a budget of its own.
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { parsePostgresUrl } from "../../../src/domain/stores/postgresUrl.ts"
import { RequestBudget } from "../../../src/extract/budget/RequestBudget.ts"
import type { Failure } from "../../../src/extract/retry.ts"
import { sharedBudget } from "../../../src/pipelines/run/budget/sharedBudget.ts"

const [seconds, tasks, database = "", ...urls] = process.argv.slice(2)

const spending = {
  endpoint: "fees",
  maxWaitMillis: 120_000,
  isSlow: false,
  expectsServerErrors: false,
  requestsLeft: 1,
}

const get = (url: string) =>
  Effect.tryPromise({
    try: async () => {
      const response = await fetch(url, { headers: { "x-sender": String(process.pid) } })
      await response.arrayBuffer()
      const delay = response.headers.get("retry-after")
      return { status: response.status, delaySeconds: delay === null ? undefined : Number(delay) }
    },
    catch: (cause): Failure => ({ reason: { _tag: "Transport" }, detail: String(cause) }),
  })

const budgetOf = (url: string) =>
  database === "none"
    ? RequestBudget.layer()
    : sharedBudget(Result.getOrThrow(parsePostgresUrl(database)), url, {})

const sendTo = (url: string) =>
  Effect.gen(function* () {
    const budget = yield* RequestBudget
    const task = Effect.forever(Effect.ignore(budget.spend(get(url), spending)))
    yield* Effect.all(
      Array.from({ length: Number(tasks) }, () => task),
      { concurrency: "unbounded" },
    )
  }).pipe(Effect.provide(budgetOf(url)))

await Effect.runPromise(
  Effect.all(urls.map(sendTo), { concurrency: "unbounded" }).pipe(
    Effect.timeoutOption(Number(seconds) * 1000),
  ),
)
process.exit(0)
