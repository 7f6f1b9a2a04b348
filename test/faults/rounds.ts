// The rounds of the matrix. One fault on all endpoints at once would be an outage, which a run notices as such; so each
// meets another, and each round moves on by one.
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { endpoints } from "../../src/extract/endpoints/index.ts"
import type { Random } from "../support/randomness.ts"
import { temporaryFolder } from "../support/temporaryFolder.ts"
import { swapped, verified } from "./byHand.ts"
import { DOES_NOT_APPLY, faultNames, REFUSED, SURROGATE_IN_TEXT } from "./faults.ts"
import { FLOOD_BYTES } from "./longBodies.ts"
import { faultyService } from "./faultyService.ts"
import { type Became, becameOf, type Undisturbed, pipelinesOf } from "./outcome.ts"
import { subjects } from "./subjects.ts"
import { disturbed, firstRun, SLOWNESS, undisturbed, type World } from "./world.ts"

/** What a service does to all requests: it does not listen, or its limit of requests is used up. */
const ofAll: ReadonlySet<string> = new Set([REFUSED, "429 for good"])
const others = faultNames.filter((name) => !ofAll.has(name))
/** Those that a run repeats until a limit of time: a slow machine may need other requests. One repetition is always made. */
const isRepeated = (fault: string): boolean =>
  /^(424|500 for good|reset|closed|body that stops|a byte|length|truncated)/.test(fault)

const names = endpoints.map(({ name }) => name)

/** Whether a run reads it. */
export const isRead = (endpoint: string): boolean => pipelinesOf(endpoint).length > 0

const read = names.filter(isRead)
const byHand = names.filter((name) => !isRead(name))

/** Endpoints whose rows say what others are requested for: a fault may leave those without a request. */
const isAwaited = (endpoint: string): boolean =>
  pipelinesOf(endpoint).some(({ name }) =>
    read.some((other) => pipelinesOf(other).some(({ after }) => after.includes(name))),
  )

export const fieldOf = (endpoint: string, fault: string): string => {
  const { field = "", text = field } = subjects[endpoint] ?? {}
  return fault === SURROGATE_IN_TEXT ? text : field
}

export interface Found {
  readonly endpoint: string
  readonly fault: string
  readonly outcome: string
  readonly reason: string | undefined
}

/** The response is the same with the fault as without it. */
const unmet: Became = { outcome: DOES_NOT_APPLY, reason: undefined, problems: [] }

/** Of a pair whose endpoint was not requested in the round that was its turn. */
const MOST_TRIES = 3

const keyOf = (endpoint: string, fault: string): string => `${endpoint} | ${fault}`

export class Matrix {
  readonly #world: World
  readonly #calm: Undisturbed
  readonly #isWhole: boolean
  readonly #found = new Map<string, Found>()
  readonly problems: Array<string> = []

  private constructor(world: World, calm: Undisturbed, isWhole: boolean) {
    this.#world = world
    this.#calm = calm
    this.#isWhole = isWhole
  }

  /** Reads the platform, and what becomes of it without a fault. */
  static readonly begin = Effect.fnUntraced(function* (isWhole: boolean) {
    const world = yield* firstRun(yield* temporaryFolder, isWhole)
    return new Matrix(world, yield* undisturbed(world, yield* temporaryFolder), isWhole)
  })

  get found(): ReadonlyArray<Found> {
    return [...this.#found.values()]
  }

  /** Pairs without an outcome. */
  get untried(): ReadonlyArray<string> {
    return names
      .flatMap((endpoint) => faultNames.map((fault) => keyOf(endpoint, fault)))
      .filter((key) => !this.#found.has(key))
  }

  /** By fault and endpoint. */
  outcomes(all: ReadonlyArray<string>): Readonly<Record<string, Readonly<Record<string, string>>>> {
    return Object.fromEntries(
      faultNames.map((fault) => [
        fault,
        Object.fromEntries(
          all.map((endpoint) => [
            endpoint,
            this.#found.get(keyOf(endpoint, fault))?.outcome ?? "not tried",
          ]),
        ),
      ]),
    )
  }

  get tryAll(): Effect.Effect<void, unknown, Scope.Scope> {
    return Effect.gen({ self: this }, function* () {
      for (const fault of ofAll)
        yield* this.#round(new Map(read.map((endpoint) => [endpoint, fault])))
      for (const [turn] of others.entries()) yield* this.#round(this.#turned(turn))
      // What a fault of another endpoint left without a request, without that. More than once, since on a slow machine a request
      // that meets no fault may take longer than its timeout.
      const tried = new Map<string, number>()
      for (;;) {
        const left = read.flatMap((endpoint) => {
          const fault = others.find((each) => {
            const key = keyOf(endpoint, each)
            return !this.#found.has(key) && (tried.get(key) ?? 0) < MOST_TRIES
          })
          return fault === undefined ? [] : [[endpoint, fault] as const]
        })
        const apart = left.filter(([endpoint]) => !isAwaited(endpoint))
        const round = apart.length > 0 ? apart : left
        if (round.length === 0) break
        for (const [endpoint, fault] of round) {
          const key = keyOf(endpoint, fault)
          tried.set(key, (tried.get(key) ?? 0) + 1)
        }
        yield* this.#round(new Map(round), true)
      }
      for (const fault of faultNames) yield* this.#byHand(fault)
    })
  }

  /** A round of the faults that a run needs no second request for, and what is sent by hand against one of them. */
  trySome(random: Random): Effect.Effect<void, unknown, Scope.Scope> {
    return Effect.gen({ self: this }, function* () {
      const turn = Math.floor(random() * others.length)
      const quick = others.filter((fault) => !isRepeated(fault))
      yield* this.#round(new Map([...this.#turned(turn)].filter(([, fault]) => !isRepeated(fault))))
      yield* this.#byHand(quick[turn % quick.length]!)
    })
  }

  #turned(turn: number): ReadonlyMap<string, string> {
    return new Map(
      read.map((endpoint, at) => [endpoint, others[(at + turn) % others.length] ?? REFUSED]),
    )
  }

  /** `isAlone`: no fault of another endpoint keeps the responses from it that its own fault would change. */
  #round(faultOf: ReadonlyMap<string, string>, isAlone = false) {
    return Effect.gen({ self: this }, function* () {
      const began = performance.now()
      const isRefused = [...faultOf.values()].includes(REFUSED)
      const met = yield* Effect.scoped(
        Effect.gen({ self: this }, function* () {
          const dataDir = yield* temporaryFolder
          return yield* disturbed(this.#world, dataDir, { faultOf, fieldOf, isRefused })
        }),
      )
      for (const [endpoint, fault] of faultOf) {
        if (!ofAll.has(fault) && !met.met.has(endpoint)) {
          if (isAlone && met.unchanged.has(endpoint)) this.#note(endpoint, fault, unmet)
          continue
        }
        const became = becameOf(endpoint, fault, met, this.#calm)
        if (became !== undefined) this.#note(endpoint, fault, became)
      }
      this.problems.push(...met.strayed)
      if (met.failure !== undefined) this.problems.push(`the run failed: ${met.failure}`)
      if (met.mostBytes >= FLOOD_BYTES) this.problems.push("a response was read that is too large")
      if (this.#isWhole) {
        const seconds = ((performance.now() - began) / 1000).toFixed(1)
        process.stdout.write(
          `${this.#found.size} of ${names.length * faultNames.length}, ${seconds} s, ${this.problems.length} problems\n`,
        )
      }
    })
  }

  #byHand(fault: string) {
    return Effect.scoped(
      Effect.gen({ self: this }, function* () {
        const { after, clock, subaccount, token } = this.#world
        const service = yield* faultyService(after, {
          faultOf: new Map(byHand.map((endpoint) => [endpoint, fault])),
          fieldOf,
          now: () => Date.now(),
          second: 1000 * SLOWNESS,
        })
        const url = fault === REFUSED ? "http://127.0.0.1:9" : service.url
        const dataDir = yield* temporaryFolder
        const { under } = clock()
        const swap = yield* under(swapped(url, dataDir, subaccount, token, this.#isWhole))
        this.#note("swap", fault, service.unchanged.has("swap") ? unmet : swap)
        if ((service.met.get("swap") ?? 0) > 1)
          this.problems.push(`${fault}: a swap was sent again`)
        const key = yield* under(verified(url, this.#isWhole))
        this.#note(
          "key_verification",
          fault,
          service.unchanged.has("key_verification") ? unmet : key,
        )
        this.problems.push(...service.strayed)
      }),
    )
  }

  #note(endpoint: string, fault: string, { outcome, reason, problems }: Became): void {
    this.#found.set(keyOf(endpoint, fault), { endpoint, fault, outcome, reason })
    for (const problem of problems)
      this.problems.push(`${keyOf(endpoint, fault)} | ${outcome}: ${problem}`)
  }
}
