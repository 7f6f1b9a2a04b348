// What a refusal means: an absence the document lists, a name the service spells otherwise, or a wrong path.
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import type { AnyEndpoint, Inputs } from "../../src/extract/Endpoint.ts"
import { endpoints } from "../../src/extract/endpoints/index.ts"
import { historicalAllocations } from "../../src/extract/endpoints/transparency/historical_allocations.ts"
import { positions } from "../../src/extract/endpoints/transparency/positions.ts"
import { revertReason } from "../../src/extract/endpoints/transparency/revert_reason.ts"
import { unrealizedPnl } from "../../src/extract/endpoints/transparency/unrealized_pnl.ts"
import { performanceFees } from "../../src/extract/endpoints/vaults/performance_fees.ts"
import type { Parameter, Parameters } from "../../src/extract/Parameter.ts"
import { defaultWire, type WireSettings } from "../../src/extract/request.ts"
import { failureOf, startClient } from "../support/client.ts"
import { json } from "../support/scriptedServer.ts"

const vault = "0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045"
const inputs = { vault_address: vault, chainId: 1 }

const errorOf = <P extends Parameters>(
  endpoint: AnyEndpoint & { readonly parameters: P },
  values: Inputs<P>,
  answer: { readonly status: number; readonly body: unknown },
  wire: WireSettings = defaultWire,
) =>
  Effect.gen(function* () {
    const { client } = yield* startClient(
      (_, response) => json(response, answer.body, answer.status),
      { wire },
    )
    return yield* failureOf(client.call<P, unknown>(endpoint, values))
  })

const fastApi = (name: string, msg = "field required", type = "value_error.missing") => ({
  detail: [{ loc: ["query", name], msg, type }],
})

describe("a validation error about a name", () => {
  it.live.each([
    ["FastAPI", 422, fastApi("chain_id")],
    ["FastAPI, newer", 422, fastApi("chain_id", "Field required", "missing")],
    ["fields and messages", 400, { errors: [{ field: "chain_id", message: "is required" }] }],
    ["a map", 400, { chain_id: ["This field is required."] }],
    ["a map below errors", 422, { errors: { chain_id: ["Missing data for required field."] } }],
    ["zod", 400, { issues: [{ code: "invalid_type", path: ["chain_id"], message: "Required" }] }],
    ["a sentence", 400, { detail: "Missing required parameter: chain_id" }],
    ["another", 422, { error: { message: "query parameter 'chain_id' is required" } }],
    ["joi", 400, { message: '"chain_id" is required' }],
    ["a bare sentence", 400, { detail: "chain_id is required" }],
    ["ajv", 400, { errors: [{ message: "must have required property 'chain_id'" }] }],
  ] as const)("is a failure that names the setting: %s", ([, status, body]) =>
    Effect.gen(function* () {
      const error = yield* errorOf(positions, inputs, { status, body })
      expect(error.reason).toEqual({ _tag: "UnexpectedStatus" })
      expect(error.message).toContain("wants `chain_id` and was sent `chainId`")
      expect(error.message).toContain("set wire.case: snake")
    }),
  )

  it.live.each(
    endpoints.filter(({ absences }) => absences !== undefined).map((each) => [each.name]),
  )("of %s is no absence", ([name]) =>
    Effect.gen(function* () {
      const endpoint = endpoints.find((each) => each.name === name)!
      const values = Object.fromEntries(
        Object.entries<Parameter<never>>(endpoint.parameters)
          .filter(([, { required }]) => required)
          .map(([input, { schema }]) => [input, valueOf(schema)]),
      )
      const body = fastApi("something_else")
      const error = yield* errorOf(endpoint, values as Inputs<Parameters>, { status: 422, body })
      expect(error.reason).toEqual({ _tag: "UnexpectedStatus" })
    }),
  )

  it.live.each([
    ["vault_address", defaultWire, "wire.names.vault: vault_address"],
    ["Vault", defaultWire, "wire.names.vault: Vault"],
  ] as const)("%s is wanted: %s", ([name, wire, setting]) =>
    Effect.gen(function* () {
      const answer = { status: 422, body: fastApi(name) }
      const error = yield* errorOf(unrealizedPnl, { vault }, answer, wire)
      expect(error.message).toContain(`set ${setting}`)
    }),
  )

  it.live("in snake case, where the service wants the other", () =>
    Effect.gen(function* () {
      const wire = { ...defaultWire, case: "snake" as const }
      const answer = { status: 422, body: fastApi("chainId") }
      const error = yield* errorOf(historicalAllocations, inputs, answer, wire)
      expect(error.message).toContain(
        "wants `chainId` and was sent `chain_id`: set wire.case: camel",
      )
    }),
  )

  it.live("which the service does not know: the setting is named too", () =>
    Effect.gen(function* () {
      const body = fastApi("chainId", "Extra inputs are not permitted", "extra_forbidden")
      const error = yield* errorOf(positions, inputs, { status: 422, body })
      expect(error.reason).toEqual({ _tag: "UnexpectedStatus" })
      expect(error.message).toContain("does not know `chainId`: set wire.names.chainId")
    }),
  )

  it.live.each([
    ["historical_allocations", "startDate", "not a valid date"],
    ["audit_log", "limit", "Input should be less than or equal to 100"],
    ["timelocks", "status", "unexpected value; permitted: 'pending'"],
    ["performance_fees", "calculationPeriod", "Input should be 'YTD' or 'MTD'"],
  ] as const)("or about a value of our choice is a failure: %s, %s", ([name, input, msg]) =>
    Effect.gen(function* () {
      const endpoint = endpoints.find((each) => each.name === name)!
      const { schema } = endpoint.parameters[input] as Parameter<never>
      const chosen = { [input]: input === "startDate" ? 20_000 : valueOf(schema) }
      const about = "vault" in endpoint.parameters ? { vault } : inputs
      for (const body of [
        { detail: [{ loc: ["query", input], msg, type: "value_error" }] },
        { errors: { [input]: [msg] } },
      ]) {
        const asked = { ...about, ...chosen } as unknown as Inputs<Parameters>
        const error = yield* errorOf(endpoint, asked, { status: 422, body })
        expect(error.reason).toEqual({ _tag: "UnexpectedStatus" })
        expect(error.message).toContain(`refuses this value of \`${input}\``)
      }
    }),
  )

  it.live("about the key's header is a missing key", () =>
    Effect.gen(function* () {
      const body = { detail: [{ loc: ["header", "x-api-key"], msg: "Field required" }] }
      const error = yield* errorOf(performanceFees, { vault }, { status: 422, body })
      expect(error.reason).toEqual({ _tag: "Unauthorized" })
    }),
  )

  it.live.each([
    { detail: "This endpoint takes EVM vaults only" },
    { detail: "Vault not supported; an EVM address is required" },
    {
      detail: [{ loc: ["path", "vault_address"], msg: "not an EVM address", type: "value_error" }],
    },
    { detail: [{ loc: ["query", "chainId"], msg: "Input should be 1 or 42161", type: "enum" }] },
    { detail: [{ loc: ["path", "vault_address"], msg: "an EVM vault is required" }] },
    { detail: [{ loc: ["query", "chainId"], msg: "unknown chain", type: "value_error" }] },
    { detail: [{ loc: ["query", "chainId"], msg: "unexpected value; permitted: 1, 42161" }] },
    "unsupported",
  ])("%j is about the vault, and an absence", (body) =>
    Effect.gen(function* () {
      const error = yield* errorOf(positions, inputs, { status: 422, body })
      expect(error.reason).toEqual({ _tag: "Unsupported" })
    }),
  )

  it.live("what a period lacks is an absence, whatever its status", () =>
    Effect.gen(function* () {
      for (const status of [400, 404, 409, 422]) {
        const body = { detail: "Insufficient snapshot data for MonthToDate" }
        const error = yield* errorOf(performanceFees, { vault }, { status, body })
        expect(error.reason).toEqual({ _tag: "NotFound", expected: true })
      }
    }),
  )
})

const valueOf = (schema: Readonly<Record<string, unknown>>): unknown => {
  if (schema["type"] === "integer" || schema["type"] === "number") return 1
  if (schema["type"] === "boolean") return false
  if (Array.isArray(schema["enum"])) return schema["enum"][0]
  if (Array.isArray(schema["prefixItems"])) return schema["prefixItems"].map(valueOf)
  return schema["type"] === "array" ? [valueOf(schema["items"] as never)] : vault
}

const page = "<html><body><h1>404</h1></body></html>"

describe("404", () => {
  const transparency = endpoints.filter(
    ({ path }) => typeof path === "string" && path.startsWith("/platform/"),
  )

  it.live("unknown vault (§7): expected on every transparency endpoint", () =>
    Effect.gen(function* () {
      expect(transparency).toHaveLength(11)
      for (const endpoint of transparency) {
        const values = "vault" in endpoint.parameters ? { vault } : inputs
        const answer = { status: 404, body: { detail: "Unknown vault" } }
        const error = yield* errorOf(endpoint, values as never, answer)
        expect(error.reason, endpoint.name).toEqual({ _tag: "NotFound", expected: true })
      }
    }),
  )

  it.live.each([
    { detail: "Not Found" },
    { message: "Cannot GET /platform/positions/0x1", error: "Not Found", statusCode: 404 },
    { error: { code: 404, message: "Route not found" } },
    page,
    "",
  ])("%j before anything has answered there: the path may be wrong", (body) =>
    Effect.gen(function* () {
      let isUp = false
      const { client } = yield* startClient((_, response) => {
        if (isUp) json(response, [])
        else response.writeHead(404).end(typeof body === "string" ? body : JSON.stringify(body))
      })
      const error = yield* failureOf(client.call(positions, inputs))
      expect(error.reason).toEqual({ _tag: "NotFound", expected: false })
      expect(error.message).toContain("see platformSegment")
      isUp = true
      yield* client.call(unrealizedPnl, { vault })
      isUp = false
      const later = yield* failureOf(client.call(positions, inputs))
      // A page is not the service's: all it answers is JSON (§4).
      expect(later.reason).toEqual({ _tag: "NotFound", expected: body !== page })
    }),
  )

  it.live("of a transaction nobody finds is no failure", () =>
    Effect.gen(function* () {
      const answer = { status: 404, body: { detail: "transaction not found" } }
      const error = yield* errorOf(revertReason, { chain: 1, transactionHash: "0xab" }, answer)
      expect(error.reason).toEqual({ _tag: "NotFound", expected: true })
    }),
  )
})

describe("a refusal of the request as such, or by someone else,", () => {
  it.live.each([405, 413, 414, 415, 421, 431])("%d, is no absence where any 4xx is one", (status) =>
    Effect.gen(function* () {
      const body = { detail: "no" }
      const error = yield* errorOf(performanceFees, { vault }, { status, body })
      expect(error.reason).toEqual({ _tag: "UnexpectedStatus" })
    }),
  )

  it.live.each([400, 404, 422])("%d with a page, is no absence", (status) =>
    Effect.gen(function* () {
      const { client } = yield* startClient((_, response) => response.writeHead(status).end(page))
      for (const call of [
        client.call(performanceFees, { vault }),
        client.call(revertReason, { chain: 1, transactionHash: "0xab" }),
      ]) {
        const { reason } = yield* failureOf<unknown>(call)
        expect(reason).toEqual(
          status === 404 ? { _tag: "NotFound", expected: false } : { _tag: "UnexpectedStatus" },
        )
      }
    }),
  )
})

describe("the key", () => {
  it.live.each([
    ["as it is", (key: string) => key],
    ["in a URL", (key: string) => encodeURIComponent(key)],
    ["in JSON", (key: string) => JSON.stringify(key).slice(1, -1)],
    ["in JSON as PHP writes it", (key: string) => key.replaceAll("/", String.raw`\/`)],
  ] as const)("is kept out of what is kept, %s, and out of where a redirect leads", ([, spell]) =>
    Effect.gen(function* () {
      const key = 'a+b/c"d=='
      const { client } = yield* startClient(
        (_, response, number) => {
          if (number === 1) response.writeHead(403).end(`who is ${spell(key)}?`)
          else response.writeHead(302, { location: `/login?key=${spell(key)}` }).end()
        },
        { apiKey: Redacted.make(key) },
      )
      const refused = yield* failureOf(client.call(positions, inputs))
      expect(refused.detail).toMatch(/^who is /)
      expect(refused.detail).not.toContain(spell(key))
      const redirected = yield* failureOf(client.call(positions, inputs))
      expect(redirected.detail).not.toContain(spell(key))
    }),
  )

  it.live("stands in no message, whatever the service repeats of it", () =>
    Effect.gen(function* () {
      const { client } = yield* startClient(
        (_, response) => json(response, fastApi("secret-key"), 422),
        { apiKey: Redacted.make("secret-key") },
      )
      const error = yield* failureOf(client.call(positions, inputs))
      expect(error.message).not.toContain("secret-key")
    }),
  )
})
