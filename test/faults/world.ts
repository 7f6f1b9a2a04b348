// A platform of one vault and three subaccounts that is read once, a day later through a faulty service, and a week later
// again from a healthy one.
import { cpSync } from "node:fs"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Redacted from "effect/Redacted"
import { defaultWire } from "../../src/extract/request.ts"
import { pipelineNames } from "../../src/pipelines/pipelines.ts"
import { startSimulator } from "../../simulator/index.ts"
import { movableClock, type MovableClock } from "../support/movableClock.ts"
import { runOnce } from "../support/warehouseRun.ts"
import { storedIn } from "./stored.ts"
import { faultyService, type Round } from "./faultyService.ts"
import { paths } from "../support/simulated.ts"

/** How many seconds of the machine are one of the clock's: waits and timeouts are as long as a user's. */
export const SLOWNESS = 1 / 20

const FIRST = "2026-06-01T12:00:00Z"
const SECOND = "2026-06-02T12:00:00Z"
/** Later than `unsupportedRetryDays`, so that an absence is tried again. */
const THIRD = "2026-06-11T12:00:00Z"

const platform = {
  vaults: 1,
  subaccounts: 3,
  start: "2026-05-20T00:00:00Z",
  slowReadMs: 0,
  serverCaches: false,
}

/** The service as it is at the first run, and from the second on. */
export const platforms = Effect.acquireRelease(
  Effect.promise(async () => ({
    before: await startSimulator({ ...platform, now: FIRST }),
    after: await startSimulator({ ...platform, now: SECOND, revision: 1 }),
  })),
  ({ before, after }) => Effect.promise(() => Promise.all([before.close(), after.close()])),
)

const MEGABYTES = 10

/**
 * The settings of each run. Where a stalled response is one of the faults, a timeout uses up the time in which it could be
 * tried again; else no limit of time is met on a slow machine.
 */
const overrides = ({ scenario, isWhole }: Pick<World, "scenario" | "isWhole">) => ({
  api: {
    apiKey: Redacted.make("demo-admin-key"),
    wire: { ...defaultWire, paths },
    requestTimeoutSeconds: isWhole ? 60 : 3600,
    retryBudgetSeconds: isWhole ? 55 : 300,
    maxResponseMegabytes: MEGABYTES,
  },
  taskTimeoutSeconds: 36_000,
  settings: { scenarios: [scenario] },
})

interface Scenario {
  readonly name: string
  readonly inputs: Readonly<Record<string, unknown>>
}

interface Listed {
  readonly chain: number
  readonly address: string
}

const listOf = (url: string) =>
  Effect.promise(async () => {
    const response = await fetch(url, { headers: { "x-api-key": "demo-admin-key" } })
    return (await response.json()) as ReadonlyArray<Listed>
  })

const scenarioOf = (token: Listed): Scenario => {
  return {
    name: "one million",
    inputs: {
      loan_token_chain: token.chain,
      loan_token_address: token.address,
      loan_amount: 1_000_000,
      collateral_tokens: [[token.chain, token.address]],
      collateral_token_allocation: [1],
      on_platform: false,
    },
  }
}

const clockAt = (instant: string) => {
  const began = Date.now()
  const clock = movableClock({ aheadMillis: Date.parse(instant) - began, slowness: SLOWNESS })
  const since = clock.monotonic()
  return { ...clock, now: () => Date.parse(instant) + clock.monotonic() - since }
}

const runAt = (
  instant: string,
  url: string,
  dataDir: string,
  world: Pick<World, "scenario" | "isWhole">,
  pipelines: ReadonlyArray<string> = [],
) => clockAt(instant).under(runOnce(url, dataDir, { ...overrides(world), pipelines }))

/** They request each loan or transaction once, so they are left to the second run. */
const once: ReadonlySet<string> = new Set(["loan_details", "revert_reasons"])

export interface World {
  /** A data directory after the first run. */
  readonly baseline: string
  readonly before: string
  readonly after: string
  readonly scenario: Scenario
  readonly isWhole: boolean
  readonly subaccount: string
  readonly token: readonly [string, string]
  /** A clock that begins at the second run. */
  readonly clock: () => Pick<MovableClock, "under">
}

/** Reads the platform for the first time, into the folder. */
export const firstRun = Effect.fnUntraced(function* (baseline: string, isWhole: boolean) {
  const { before, after } = yield* platforms
  const [token, other] = yield* listOf(`${before.url}/risk/discount_factors`)
  const [subaccount] = yield* listOf(`${before.url}/subaccounts`)
  const scenario = scenarioOf(token!)
  yield* runAt(
    FIRST,
    before.url,
    baseline,
    { scenario, isWhole },
    pipelineNames.filter((name) => !once.has(name)),
  )
  return {
    baseline,
    before: before.url,
    after: after.url,
    scenario,
    isWhole,
    subaccount: subaccount!.address,
    token: [token!.address, other!.address],
    clock: () => clockAt(SECOND),
  } satisfies World
})

const copyOf = (world: World, dataDir: string): void =>
  cpSync(world.baseline, dataDir, { recursive: true, verbatimSymlinks: true })

/** A second run without a fault, and what is stored then. */
export const undisturbed = Effect.fnUntraced(function* (
  world: World,
  dataDir: string,
  pipelines: ReadonlyArray<string> = [],
) {
  copyOf(world, dataDir)
  const first = yield* storedIn(dataDir)
  yield* runAt(SECOND, world.after, dataDir, world, pipelines)
  const second = yield* storedIn(dataDir)
  yield* runAt(THIRD, world.after, dataDir, world, pipelines)
  return { first, second, third: yield* storedIn(dataDir) }
})

/** A second run in which each endpoint meets the fault of the round, and a third without any. */
export const disturbed = Effect.fnUntraced(function* (
  world: World,
  dataDir: string,
  round: Pick<Round, "faultOf" | "fieldOf"> & { readonly isRefused: boolean },
  pipelines: ReadonlyArray<string> = [],
) {
  copyOf(world, dataDir)
  const clock = clockAt(SECOND)
  const service = yield* faultyService(world.after, {
    ...round,
    now: clock.now,
    second: 1000 * SLOWNESS,
    moveClock: clock.advance,
  })
  // Nothing listens on the discard port.
  const url = round.isRefused ? "http://127.0.0.1:9" : service.url
  const exit = yield* Effect.exit(
    clock.under(runOnce(url, dataDir, { ...overrides(world), pipelines })),
  )
  const second = yield* storedIn(dataDir)
  yield* runAt(THIRD, world.after, dataDir, world, pipelines)
  return {
    met: service.met,
    sent: service.sent,
    unchanged: service.unchanged,
    strayed: service.strayed,
    mostBytes: service.mostBytes(),
    failure: Exit.isFailure(exit) ? String(exit.cause) : undefined,
    second,
    third: yield* storedIn(dataDir),
  }
})
