// §7, client-side validation: an input that breaks a rule is refused by name and no request is sent. Every parameter
// of every endpoint gets values that its kind does not allow.
import { describe, expect, it } from "@effect/vitest"
import { StrKey } from "@stellar/stellar-base/lib/strkey.js"
import { base58 } from "@scure/base"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { addr } from "micro-eth-signer"
import { ApiError } from "../../src/domain/wire/errors.ts"
import { ApiClient } from "../../src/extract/ApiClient.ts"
import { type AnyEndpoint, configuredPaths, type Inputs } from "../../src/extract/Endpoint.ts"
import { endpoints } from "../../src/extract/endpoints/index.ts"
import type { JsonSchema, Parameter, Parameters } from "../../src/extract/Parameter.ts"
import { defaultWire } from "../../src/extract/request.ts"
import { clientOutsideRun } from "../../src/pipelines/service/clientOutsideRun.ts"
import { json, type Script, scriptedServer } from "../support/servers/scriptedServer.ts"

type Values = Readonly<Record<string, unknown>>

const evm = "0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045"
const badChecksum = "0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96046"
const solana = "So11111111111111111111111111111111111111112"
const stellar = "GA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJVSGZ"
const badStellar = "GA7QYNG7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJVSGZ"

const withServer = <A, E>(
  script: Script,
  use: (
    call: (endpoint: AnyEndpoint, inputs: Values) => Effect.Effect<unknown, unknown>,
    requests: ReadonlyArray<unknown>,
  ) => Effect.Effect<A, E>,
  requestTimeoutSeconds = 2,
) =>
  Effect.gen(function* () {
    const server = yield* scriptedServer(script)
    const layer = clientOutsideRun({
      api: {
        baseUrl: server.url,
        apiKey: undefined,
        wire: {
          ...defaultWire,
          paths: Object.fromEntries(
            configuredPaths.map((name) => [
              name,
              name === "keyVerification" ? "/key" : `/${name}/{address}`,
            ]),
          ),
        },
        requestTimeoutSeconds,
        retryBudgetSeconds: 0,
        maxResponseMegabytes: 64,
      },
      pace: {},
    })
    return yield* Effect.gen(function* () {
      const client = yield* ApiClient
      return yield* use(
        (endpoint, inputs) => client.call(endpoint, inputs as Inputs<Parameters>),
        server.requests,
      )
    }).pipe(Effect.provide(layer))
  }).pipe(Effect.scoped)

/** Calls each endpoint with each of its wrong inputs: the error names the parameter, and nothing is sent. */
const refused = (
  cases: ReadonlyArray<{ endpoint: AnyEndpoint; inputs: Values; parameter: string }>,
) =>
  withServer(
    (_request, response) => json(response, {}),
    (call, requests) =>
      Effect.gen(function* () {
        expect(cases.length).toBeGreaterThan(0)
        for (const { endpoint, inputs, parameter } of cases) {
          const error = yield* Effect.flip(call(endpoint, inputs))
          const label = `${endpoint.name} ${JSON.stringify(inputs)}`
          expect(error, label).toBeInstanceOf(ApiError)
          const { reason, attempts } = error as ApiError
          expect({ reason, attempts }, label).toEqual({
            reason: { _tag: "InvalidInput", parameter },
            attempts: 0,
          })
        }
        expect(requests).toHaveLength(0)
      }),
  )

const isAddress = (schema: JsonSchema): boolean => String(schema["pattern"]).startsWith("^(0x")
const numberOf = (schema: JsonSchema, name: string): number | undefined => {
  const value = schema[name]
  return typeof value === "number" ? value : undefined
}

/** A value the parameter takes, from its JSON Schema; days and instants as numbers. */
const valid = (schema: JsonSchema): unknown => {
  const [options, items, pair] = [schema["enum"], schema["items"], schema["prefixItems"]]
  if (Array.isArray(options)) return options[0]
  if (Array.isArray(pair)) return pair.map((each) => valid(each as JsonSchema))
  if (items !== undefined) return [valid(items as JsonSchema)]
  if (schema["type"] === "boolean") return false
  if (schema["type"] === "integer" || schema["type"] === "number") {
    return Math.max(1, numberOf(schema, "minimum") ?? 1)
  }
  if (schema["format"] === "date") return 20_000
  if (schema["format"] === "date-time") return 1_700_000_000_000_000
  if (schema["format"] === "uuid") return "0190d1a4-7f00-7000-8000-000000000001"
  return evm
}

const wrongAddresses = (schema: JsonSchema): ReadonlyArray<unknown> => [
  "",
  "0x",
  "0x123",
  "vitalik.eth",
  badChecksum,
  badStellar,
  base58.encode(new Uint8Array(31).fill(255)),
  base58.encode(new Uint8Array(33).fill(255)),
  7,
  ...[solana, stellar].filter((text) => !new RegExp(String(schema["pattern"])).test(text)),
]

const wrongNumbers = (schema: JsonSchema): ReadonlyArray<unknown> => {
  const [min, max] = [numberOf(schema, "minimum"), numberOf(schema, "maximum")]
  const above = numberOf(schema, "exclusiveMinimum")
  const step = schema["type"] === "integer" ? 1 : 1e-9
  return [
    Number.NaN,
    Infinity,
    -Infinity,
    "1",
    ...(schema["type"] === "integer" ? [1.5, 2 ** 53] : []),
    ...(min === undefined ? [] : [min - step]),
    ...(max === undefined ? [] : [max + step]),
    ...(above === undefined ? [] : [above, above - step]),
  ]
}

/** Values the parameter must refuse, from its JSON Schema. */
const wrong = (schema: JsonSchema): ReadonlyArray<unknown> => {
  const [items, pair] = [schema["items"], schema["prefixItems"]]
  if (Array.isArray(schema["enum"])) return ["", "nonsense", String(schema["enum"][0]).concat(" ")]
  if (Array.isArray(pair)) {
    const right = pair.map((each) => valid(each as JsonSchema))
    const bad = pair.flatMap((each, at) =>
      wrong(each as JsonSchema).map((value) => right.with(at, value)),
    )
    return ["x", right.slice(1), [...right, 1], ...bad]
  }
  if (items !== undefined) {
    const right = valid(items as JsonSchema)
    const bad = wrong(items as JsonSchema).map((value) => [right, value])
    return ["x", ...(schema["minItems"] === 1 ? [[]] : []), ...bad]
  }
  if (schema["type"] === "boolean") return ["true", 1, null]
  if (schema["type"] === "integer" || schema["type"] === "number") return wrongNumbers(schema)
  if (schema["format"] === "date") return [Number.NaN, 0.5, "2026-01-01", 1e9]
  if (schema["format"] === "date-time") return [Number.NaN, 0.5, Infinity, "2026-01-01", 9e18]
  if (schema["format"] === "uuid") return ["", "x", "0190d1a4-7f00-7000-8000-00000000000"]
  return isAddress(schema) ? wrongAddresses(schema) : ["", "  ", 7]
}

const parametersOf = ({ parameters }: AnyEndpoint) => Object.entries<Parameter<never>>(parameters)

const validInputs = (endpoint: AnyEndpoint): Values =>
  Object.fromEntries(parametersOf(endpoint).map(([name, { schema }]) => [name, valid(schema)]))

const wrongInputs = (chosen: (schema: JsonSchema, name: string) => boolean) =>
  endpoints.flatMap((endpoint) =>
    parametersOf(endpoint)
      .filter(([name, { schema }]) => chosen(schema, name))
      .flatMap(([parameter, { schema }]) =>
        wrong(schema).map((value) => ({
          endpoint,
          parameter,
          inputs: { ...validInputs(endpoint), [parameter]: value },
        })),
      ),
  )

/**
 * What the API document says of each parameter, by name, and values that none of the kind may take: written here, so that
 * a parameter that loses its kind is noticed, which values made from its own schema would not.
 */
const kinds: ReadonlyArray<readonly [wrong: ReadonlyArray<unknown>, names: string]> = [
  [
    ["", "0x", "0x123", "vitalik.eth", badChecksum, `0x${"g".repeat(40)}`, 7, null],
    "vault vault_address address loan_address subaccountAddress tokenAddress loan_token_address subaccount_address vaultAddress loan_redeployed_token_address payer",
  ],
  [["", "  ", 7, null], "source_token destination_token before category transactionHash"],
  [
    [1.5, 2 ** 53, "1", Number.NaN, Infinity, null],
    "chainId source_chain destination_chain tokenChain loan_token_chain loan_redeployed_token_chain chain limit offset daysAgo",
  ],
  [
    ["1", Number.NaN, Infinity, -Infinity, null],
    "averagingPeriodDays source_amount destination_amount max_slippage targetHealthFactor loan_amount annualizedFeesPct",
  ],
  [["true", 1, 0, null], "applySmoothing active on_platform nativeDenominated"],
  [["", "nonsense", 1, null], "status side calculationPeriod"],
  [["2026-01-01", Number.NaN, 0.5, null], "startDate endDate startTime endTime"],
  [["", "x", 7, null], "otcCounterpartyId"],
  [["x", {}, null, [7]], "markets collateral_tokens"],
  [["x", {}, null, ["7"]], "collateral_token_allocation"],
]
const wrongOf = new Map(
  kinds.flatMap(([values, names]) => names.split(" ").map((name) => [name, values] as const)),
)

const only = (name: string, parameter: string, values: ReadonlyArray<unknown>) => {
  const endpoint = endpoints.find((each) => each.name === name)
  expect(endpoint?.parameters, name).toHaveProperty(parameter)
  return values.map((value) => ({
    endpoint: endpoint!,
    parameter,
    inputs: { ...validInputs(endpoint!), [parameter]: value },
  }))
}

describe("client-side validation (§7)", () => {
  it.live("valid inputs are sent once, so that the refusals below mean something", () =>
    withServer(
      (_request, response) => response.writeHead(418).end(),
      (call, requests) =>
        Effect.gen(function* () {
          for (const endpoint of endpoints)
            yield* Effect.flip(call(endpoint, validInputs(endpoint)))
          expect(requests).toHaveLength(endpoints.length)
        }),
    ),
  )

  it.effect("a missing required input is refused", () =>
    refused(
      endpoints.flatMap((endpoint) =>
        parametersOf(endpoint)
          .filter(([, { required }]) => required)
          .map(([parameter]) => ({
            endpoint,
            parameter,
            inputs: { ...validInputs(endpoint), [parameter]: undefined },
          })),
      ),
    ),
  )

  it.effect("an unknown input is refused", () =>
    refused(
      endpoints.map((endpoint) => ({
        endpoint,
        parameter: "nonsense",
        inputs: { ...validInputs(endpoint), nonsense: 1 },
      })),
    ),
  )

  it.effect("every parameter refuses what its kind does not allow", () =>
    refused(
      endpoints.flatMap((endpoint) =>
        parametersOf(endpoint).flatMap(([parameter]) => {
          const values = wrongOf.get(parameter)
          if (values === undefined) throw new Error(`which kind is ${parameter}?`)
          return only(endpoint.name, parameter, values)
        }),
      ),
    ),
  )

  it.effect("every parameter refuses what its JSON Schema does not allow", () =>
    refused(wrongInputs(() => true)),
  )

  it.effect("rule 1: addresses are valid for the kind required", () =>
    refused(wrongInputs((schema) => isAddress(schema))),
  )

  it.effect("rule 2: chains are integers; the chain of timelock requests is positive", () =>
    refused([
      ...wrongInputs((_schema, name) => /chain/i.test(name)),
      ...only("timelock_requests", "chainId", [0, -1]),
    ]),
  )

  it.effect("rule 3: the transaction hash is not empty", () =>
    refused(only("revert_reason", "transactionHash", ["", " "])),
  )

  it.effect("rule 4: targetHealthFactor is finite and above 0", () =>
    refused(only("collateral_excess", "targetHealthFactor", [0, -1, Infinity, Number.NaN])),
  )

  it.effect("rule 5: the inputs of a collateral simulation", () => {
    const endpoint = endpoints.find(({ name }) => name === "collateral_simulation")!
    const inputs = validInputs(endpoint)
    const redeployed = Object.keys(inputs).filter((name) => name.startsWith("loan_redeployed"))
    expect(redeployed).toHaveLength(2)
    return refused([
      ...only("collateral_simulation", "loan_amount", [-1, Infinity, Number.NaN]),
      ...only("collateral_simulation", "collateral_tokens", [[]]),
      ...only("collateral_simulation", "collateral_token_allocation", [[], [1, 2]]),
      ...redeployed.map((parameter) => ({
        endpoint,
        parameter,
        inputs: { ...inputs, on_platform: true, [parameter]: undefined },
      })),
    ])
  })

  it.effect("rule 6: performance fees take both dates or neither", () => {
    const endpoint = endpoints.find(({ name }) => name === "performance_fees")!
    const inputs = validInputs(endpoint)
    return refused(
      ["startDate", "endDate"].map((parameter) => ({
        endpoint,
        parameter,
        inputs: { ...inputs, [parameter]: undefined },
      })),
    )
  })

  it.effect("rule 7: limits and offsets within their bounds", () =>
    refused([
      ...only("subaccount_directory", "offset", [-1]),
      ...only("subaccount_directory", "limit", [0, 1001]),
      ...only("unrealized_pnl", "limit", [0, 1001]),
      ...only("audit_log", "limit", [0, 201]),
      ...only("historical_apy_chart", "averagingPeriodDays", [1.9, 1]),
    ]),
  )

  it.effect("rule 8: statuses and periods are from their enumerations, categories not empty", () =>
    refused([
      ...wrongInputs((schema) => schema["enum"] !== undefined),
      ...only("timelocks", "status", ["pending"]),
      ...only("timelock_requests", "status", ["pending"]),
      ...only("audit_log", "category", ["", " "]),
    ]),
  )

  it.live("rule 9: a request that exceeds the timeout fails as one", () =>
    withServer(
      () => undefined,
      (call, requests) =>
        Effect.gen(function* () {
          const endpoint = endpoints.find(({ name }) => name === "unrealized_pnl")!
          const error = yield* Effect.flip(call(endpoint, { vault: evm }))
          expect(error).toMatchObject({
            reason: { _tag: "Timeout", of: "attempt", seconds: 4 },
          })
          expect(requests).toHaveLength(1)
        }),
      4,
    ),
  )
})

const bytes = (length: number) =>
  Schema.Uint8Array.check(Schema.isMinLength(length), Schema.isMaxLength(length))
const place = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 1_000_000 }))

describe("addresses, whatever their bytes", () => {
  const vaultOf = (name: string) => endpoints.find((endpoint) => endpoint.name === name)!
  const takes = (name: string, text: string): boolean => {
    const { validate } = vaultOf(name).parameters["vault"]!
    return validate(text as never)._tag === "Success"
  }

  it.effect.prop(
    "EIP-55: the checksum passes, one letter's case changed does not",
    [bytes(20), place],
    ([raw, at]) =>
      Effect.sync(() => {
        const lower = `0x${Buffer.from(raw).toString("hex")}`
        const summed = addr.addChecksum(lower)
        expect(takes("unrealized_pnl", lower)).toBe(true)
        expect(takes("unrealized_pnl", summed)).toBe(true)
        const letters = Array.from(summed.slice(2)).flatMap((each, i) =>
          /[a-f]/i.test(each) ? [i + 2] : [],
        )
        const changed = letters[at % Math.max(1, letters.length)]
        if (changed === undefined) return
        const letter = summed[changed]!
        const other = letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase()
        const text = summed.slice(0, changed) + other + summed.slice(changed + 1)
        // An address in one case has no checksum to fail.
        const isMixed = /[a-f]/.test(text.slice(2)) && /[A-F]/.test(text.slice(2))
        expect(takes("unrealized_pnl", text)).toBe(!isMixed)
      }),
  )

  it.effect.prop(
    "Solana: base58 of 32 bytes passes, of any other length does not",
    [bytes(32), place],
    ([raw, at]) =>
      Effect.sync(() => {
        expect(takes("unrealized_pnl", base58.encode(raw))).toBe(true)
        const length = 24 + (at % 17)
        if (length === 32) return
        const other = new Uint8Array(length).fill(1).map((one, i) => raw[i] ?? one)
        // A leading zero byte is a `1` in base58, so the first byte here is not zero.
        other[0] = 7
        expect(takes("unrealized_pnl", base58.encode(other))).toBe(false)
      }),
  )

  it.effect.prop(
    "Stellar: a strkey passes, one character changed does not",
    [bytes(32), place],
    ([raw, at]) =>
      Effect.sync(() => {
        const text = StrKey.encodeEd25519PublicKey(Buffer.from(raw))
        expect(takes("unrealized_pnl", text)).toBe(true)
        const changed = 1 + (at % 55)
        const other = text[changed] === "A" ? "B" : "A"
        expect(
          takes("unrealized_pnl", text.slice(0, changed) + other + text.slice(changed + 1)),
        ).toBe(false)
      }),
  )
})
