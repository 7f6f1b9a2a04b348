// Sequences of responses about a set, and when its last member is retired: by two empty responses in a row, with nothing
// between them. Replays make the same rows.
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { movableClock } from "../../../support/movableClock.ts"
import { expectReplays } from "../../../support/replays.ts"
import { json, scriptedServer } from "../../../support/servers/scriptedServer.ts"
import { asAdmin } from "../../../support/simulated.ts"
import { temporaryFolder } from "../../../support/temporaryFolder.ts"
import { HANG_SECONDS, untilSo } from "../../../support/until.ts"
import {
  letAnHourPass,
  outcomes,
  outcomesByPipeline,
  query,
  runOnce,
} from "../../../support/warehouseRun.ts"

const address = (n: number) => `0x${n.toString(16).padStart(40, "0")}`

/** What the service returns to one pipeline, run by run; a number is a status. The last is repeated. */
interface Sequence {
  readonly title: string
  readonly pipeline: string
  readonly path: string
  readonly responses: ReadonlyArray<unknown>
  /** The state that is compared after each run: one value. */
  readonly state: string
  readonly states: ReadonlyArray<unknown>
  readonly outcomes: ReadonlyArray<string>
}

const NO_RESPONSE = "no response"
const current = (table: string) =>
  `select count(*)::integer as state from core.${table} where is_current`

const granted = { permissions: [{ integration: "Aave", functions: ["supply"] }] }
const nothing = { roles: [], timelocks: [], warnings: [] }
const warned = { ...nothing, warnings: ["custody service unavailable"] }
const governed = {
  roles: [{ role: "owner", is_safe: true, safe_threshold: 2 }],
  timelocks: [{ id: "a", executable_at: "2026-06-01T00:00:00", labels: [] }],
  warnings: [],
}
const loan = { id: "a", amount: 1 }
const token = { symbol: "USDC" }
const position = { protocol: "aave", net_usd_value: 3 }

/** Roles and timelocks say the same about warnings. */
const withWarnings = (pipeline: "roles" | "timelocks"): Sequence => ({
  title: `${pipeline}: an empty response with a warning retires nothing, and the warning lands`,
  pipeline,
  path: `/${pipeline}`,
  responses: [governed, warned, warned, nothing, nothing, warned],
  state: `select concat((${current(pipeline)}), ' ', (
    select count(*) from core.observation_warnings where is_current and endpoint = '${pipeline}'
  )) as state`,
  // Without a warning for the first time: all of it is suspicious.
  states: ["1 0", "1 1", "1 1", "1 1", "0 0", "0 1"],
  outcomes: [
    "loaded",
    "suspicious_empty",
    "suspicious_empty",
    "suspicious_empty",
    "empty",
    "loaded",
  ],
})

const sequences: ReadonlyArray<Sequence> = [
  {
    title: "a vault that is unknown, and the first empty response after that, retire nothing",
    pipeline: "permissions",
    path: "/permissions",
    responses: [granted, 404, { permissions: [] }, { permissions: [] }],
    state: current("permissions"),
    states: [1, 1, 1, 0],
    outcomes: ["loaded", "suspicious_empty", "suspicious_empty", "empty"],
  },
  withWarnings("roles"),
  withWarnings("timelocks"),
  {
    title: "another response, or a failure, between two empty ones starts anew",
    pipeline: "otc_positions",
    path: "/otc/position",
    responses: [[loan], [], [loan], [], 418, [], [], [loan]],
    state: current("otc_positions"),
    states: [1, 1, 1, 1, 1, 1, 0, 1],
    outcomes: [
      "loaded",
      "suspicious_empty",
      "unchanged",
      "suspicious_empty",
      "failed",
      "suspicious_empty",
      "empty",
      "loaded",
    ],
  },
  {
    title: "so does a task that ran out of time",
    pipeline: "otc_margin_requirements",
    path: "/otc/margin_requirement",
    responses: [[loan], [], NO_RESPONSE, [], []],
    state: current("otc_margin_requirements"),
    states: [1, 1, 1, 1, 0],
    outcomes: ["loaded", "suspicious_empty", "failed", "suspicious_empty", "empty"],
  },
  {
    title: "empty lists next to a total are empty, also as null; one that is not is a response",
    pipeline: "protocol_positions",
    path: "/debank",
    responses: [
      { total_usd: 3, positions: [position], tokens: [] },
      { total_usd: 0, positions: [], tokens: [] },
      { total_usd: 0, positions: null, tokens: null },
      { total_usd: 0, positions: [], tokens: [] },
      { total_usd: 3, positions: [position], tokens: [token] },
      { total_usd: 1, positions: null, tokens: [token] },
      { positions: null, tokens: null },
      { positions: null, tokens: null },
    ],
    state: `select string_agg(
        kind || coalesce(' ' || json_extract_string(extra, '$.total_usd'), ''), ', ' order by kind
      ) as state from core.protocol_positions where is_current`,
    states: [
      "position, record 3",
      "position, record 0",
      "record 0",
      "record 0",
      "position, record 3, token",
      "record 1, token",
      "record 1, token",
      null,
    ],
    outcomes: [
      "loaded",
      "suspicious_empty",
      "empty",
      "empty",
      "loaded",
      "loaded",
      "suspicious_empty",
      "empty",
    ],
  },
]

const rounds = Math.max(...sequences.map(({ responses }) => responses.length))

describe("the last member of a set", () => {
  it.live("is retired by two empty responses in a row, with nothing between them", () =>
    Effect.gen(function* () {
      let round = 0
      const server = yield* scriptedServer(({ url }, response) => {
        if (url.endsWith("status=active")) {
          return json(response, [{ address: address(1), chain: 1 }])
        }
        if (url.startsWith("/subaccount?") && url.includes("offset=0")) {
          return json(response, [{ address: address(1), status: "active" }])
        }
        const sequence = sequences.find(({ path }) => url.includes(path))
        const next = sequence?.responses[round] ?? sequence?.responses.at(-1) ?? []
        if (next === NO_RESPONSE) return undefined
        if (typeof next === "number") return json(response, { detail: "refused" }, next)
        return json(response, next)
      })
      const dataDir = yield* temporaryFolder
      const states: Array<Readonly<Record<string, unknown>>> = []
      for (round = 0; round < rounds; round++) {
        const finished = new Set<string>()
        const clock = movableClock({ slowness: 0.1 })
        const running = yield* Effect.forkChild(
          clock.under(
            runOnce(server.url, dataDir, {
              pipelines: sequences.map(({ pipeline }) => pipeline),
              api: { ...asAdmin, requestTimeoutSeconds: 2 * HANG_SECONDS },
              onProgress: (event) => {
                if (event.kind === "finished") finished.add(event.pipeline)
              },
            }),
          ),
        )
        const silent = sequences.find(({ responses }) => responses[round] === NO_RESPONSE)
        if (silent !== undefined) {
          yield* untilSo("it alone goes on", () =>
            sequences.every((each) => each === silent || finished.has(each.pipeline)),
          )
          clock.advance(HANG_SECONDS * 1000)
        }
        yield* Fiber.join(running)
        const [row = {}] = yield* query(
          dataDir,
          `select ${sequences.map(({ pipeline, state }) => `(${state}) as ${pipeline}`).join(", ")}`,
        )
        states.push(row)
        yield* letAnHourPass(dataDir)
      }
      const ended = yield* outcomesByPipeline(dataDir)
      for (const { title, pipeline, ...expected } of sequences) {
        const found = states.map((row) => row[pipeline]).slice(0, expected.states.length)
        expect(found, title).toEqual(expected.states)
        const ends = ended(pipeline).slice(0, expected.outcomes.length)
        expect(ends, title).toEqual(expected.outcomes)
      }
      yield* expectReplays(dataDir)
    }),
  )
})

describe("the last member of a directory", () => {
  it.live("stays when a reading in between failed, or found it moving", () =>
    Effect.gen(function* () {
      let reading: "whole" | "empty" | "down" | "moving" = "whole"
      let requests = 0
      const server = yield* scriptedServer(({ url }, response) => {
        const { pathname, searchParams } = new URL(url, "http://localhost")
        if (pathname !== "/subaccount" || reading === "empty") return json(response, [])
        if (reading === "down") return json(response, { detail: "down" }, 418)
        // While it moves, no page holds what another one did.
        const from = reading === "moving" ? 10_000 * ++requests : 0
        const offset = Number(searchParams.get("offset"))
        const page = Array.from({ length: 1500 }, (_, n) => n).slice(offset, offset + 1000)
        json(
          response,
          page.map((n) => ({ address: address(from + n), status: "active" })),
        )
      })
      const dataDir = yield* temporaryFolder
      const states: Array<boolean> = []
      const readings = [
        ...(["whole", "empty", "down", "empty", "moving"] as const),
        ...(["empty", "empty", "empty"] as const),
      ]
      for (reading of readings) {
        yield* runOnce(server.url, dataDir, { pipelines: ["subaccounts"], api: asAdmin })
        const [row] = yield* query(dataDir, current("subaccounts"))
        states.push(Number(row?.["state"]) > 0)
      }
      expect(yield* outcomes(dataDir, "subaccounts")).toEqual([
        "loaded",
        "suspicious_empty",
        "failed",
        "suspicious_empty",
        "loaded",
        "suspicious_empty",
        "empty",
        "empty",
      ])
      expect(states).toEqual([true, true, true, true, true, true, false, false])
      yield* expectReplays(dataDir)
    }),
  )
})
