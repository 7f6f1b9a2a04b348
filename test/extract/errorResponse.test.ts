// What an error response means: an absence the document lists, a wrong name, or a wrong path.
import { readFile } from "node:fs/promises"
import { join } from "node:path"
import { zstdDecompressSync } from "node:zlib"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { parseJson } from "../../src/domain/values/json.ts"
import type { AnyEndpoint, Inputs } from "../../src/extract/Endpoint.ts"
import { auditLog } from "../../src/extract/endpoints/governance/audit_log.ts"
import { endpoints } from "../../src/extract/endpoints/index.ts"
import { keyVerification } from "../../src/extract/endpoints/subaccounts/key_verification.ts"
import { historicalAllocations } from "../../src/extract/endpoints/transparency/historical_allocations.ts"
import { positions } from "../../src/extract/endpoints/transparency/positions.ts"
import { revertReason } from "../../src/extract/endpoints/transparency/revert_reason.ts"
import { unrealizedPnl } from "../../src/extract/endpoints/transparency/unrealized_pnl.ts"
import { performanceFees } from "../../src/extract/endpoints/vaults/performance_fees.ts"
import { tokenizedVaults } from "../../src/extract/endpoints/vaults/tokenized_vaults.ts"
import { errorFrom, type RequestContext } from "../../src/extract/errorResponse.ts"
import type { ReceivedResponse } from "../../src/extract/http/exchange.ts"
import type { Parameter, Parameters } from "../../src/extract/Parameter.ts"
import { defaultWire, type WireSettings } from "../../src/extract/request.ts"
import { failureOf, startClient } from "../support/client.ts"
import { json } from "../support/servers/scriptedServer.ts"

const vault = "0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045"
const inputs = { vault_address: vault, chainId: 1 }

const errorOf = <P extends Parameters>(
  endpoint: AnyEndpoint & { readonly parameters: P },
  values: Inputs<P>,
  scripted: { readonly status: number; readonly body: unknown },
  wire: WireSettings = defaultWire,
) =>
  Effect.gen(function* () {
    const { client } = yield* startClient(
      (_, response) => json(response, scripted.body, scripted.status),
      { wire, apiKey: Redacted.make("sk-test") },
    )
    return yield* failureOf(client.call<P, unknown>(endpoint, values))
  })

const fastApi = (name: string, msg = "field required", type = "value_error.missing") => ({
  detail: [{ loc: ["query", name], msg, type }],
})

describe("a validation error", () => {
  it.live.each([
    ["FastAPI", 422, fastApi("chain_id")],
    ["FastAPI, newer", 422, fastApi("chain_id", "Field required", "missing")],
    ["fields and messages", 400, { errors: [{ field: "chain_id", message: "is required" }] }],
    ["a sentence", 400, { detail: "Missing required parameter: chain_id" }],
    ["another", 422, { error: { message: "query parameter 'chain_id' is required" } }],
  ] as const)("that requires another name is a failure with the setting: %s", ([, status, body]) =>
    Effect.gen(function* () {
      const error = yield* errorOf(positions, inputs, { status, body })
      expect(error.reason).toEqual({ _tag: "UnexpectedStatus" })
      expect(error.message).toContain("requires `chain_id` and received `chainId`")
      expect(error.message).toContain("wire.case")
    }),
  )

  it.live.each(["vault_address", "Vault", "vaultAddress"])("%s instead of vault too", (name) =>
    Effect.gen(function* () {
      const response = { status: 422, body: fastApi(name) }
      const error = yield* errorOf(unrealizedPnl, { vault }, response)
      expect(error.message).toContain(`requires \`${name}\` and received \`vault\``)
      expect(error.message).toContain("set wire: { names: { ")
    }),
  )

  it.live("in snake case, where the service uses camel case", () =>
    Effect.gen(function* () {
      const wire = { ...defaultWire, case: "snake" as const }
      const response = { status: 422, body: fastApi("chainId") }
      const error = yield* errorOf(historicalAllocations, inputs, response, wire)
      expect(error.message).toContain("requires `chainId` and received `chain_id`")
    }),
  )

  it.live.each([
    ["historical_allocations", "startDate", "not a valid date"],
    ["audit_log", "limit", "Input should be less than or equal to 100"],
    ["timelocks", "status", "unexpected value; permitted: 'pending'"],
    ["performance_fees", "calculationPeriod", "Input should be 'YTD' or 'MTD'"],
  ] as const)("about a value of our choice is a failure: %s, %s", ([name, input, msg]) =>
    Effect.gen(function* () {
      const endpoint = endpoints.find((each) => each.name === name)!
      const { schema } = endpoint.parameters[input] as Parameter<never>
      const chosen = { [input]: input === "startDate" ? 20_000 : valueOf(schema) }
      const about = "vault" in endpoint.parameters ? { vault } : inputs
      const body = { detail: [{ loc: ["query", input], msg, type: "value_error" }] }
      const values = { ...about, ...chosen } as unknown as Inputs<Parameters>
      const error = yield* errorOf(endpoint, values, { status: 422, body })
      expect(error.reason).toEqual({ _tag: "UnexpectedStatus" })
      expect(error.message).toContain(`refuses the value of \`${input}\``)
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
    "unsupported",
  ])("%j is about the vault, and an absence", (body) =>
    Effect.gen(function* () {
      const error = yield* errorOf(positions, inputs, { status: 422, body })
      expect(error.reason).toEqual({ _tag: "Unsupported" })
    }),
  )

  it.live.each([
    [revertReason, { transactionHash: "0xab", chain: 1 }, "tx_hash", "transactionHash`, `chain"],
    [revertReason, { transactionHash: "0xab", chain: 1 }, "hash", "transactionHash`, `chain"],
    [positions, inputs, "chain", "chainId"],
    [performanceFees, { vault }, "address", "vault"],
    [auditLog, inputs, "Limit", "chainId"],
  ] as const)(
    "that requires what was not sent is a failure, whatever it stands for: %#",
    ([endpoint, values, name, sent]) =>
      Effect.gen(function* () {
        const response = { status: 422, body: fastApi(name, "Field required", "missing") }
        const error = yield* errorOf<Parameters>(endpoint, values as never, response)
        expect(error.reason).toEqual({ _tag: "UnexpectedStatus" })
        expect(error.message).toContain(`requires \`${name}\`, and received \`${sent}\``)
        expect(error.message).toContain("set wire: { names: { ")
      }),
  )

  it.live.each([
    { loc: ["query", "tx_hash"], msg: "not a hash", type: "value_error" },
    { loc: ["query", "chain"], msg: "a chain with traces is required" },
    { loc: ["query"], msg: "Field required", type: "missing" },
    { loc: ["path", "tx_hash"], msg: "Field required", type: "missing" },
    { loc: "query.tx_hash", msg: "Field required", type: "missing" },
  ])("of what was sent, or not of an input, is an absence: %j", (each) =>
    Effect.gen(function* () {
      const values = { transactionHash: "0xab", chain: 1 }
      const response = { status: 422, body: { detail: [each] } }
      const error = yield* errorOf(revertReason, values, response)
      expect(error.reason).toEqual({ _tag: "Unsupported" })
    }),
  )

  it.live.each([
    ["", { detail: "Insufficient snapshot data for MonthToDate" }],
    ["and names it", fastApi("calculationPeriod", "insufficient snapshot data", "value_error")],
    ["and names the vault", { detail: "Missing snapshots for vault_address 0xa in MonthToDate" }],
  ] as const)("about a period without data is an absence, whatever its status %s", ([, body]) =>
    Effect.gen(function* () {
      for (const status of [400, 404, 409, 422]) {
        const error = yield* errorOf(performanceFees, { vault }, { status, body })
        expect(error.reason).toEqual({ _tag: "NotFound", expected: true })
      }
    }),
  )
})

it.live.each([
  [{ error: { code: "E403", message: "no access", requestId: "7f1" } }, "no access"],
  [{ detail: { code: 7, message: "no access" } }, "no access"],
  [{ errors: [{ title: "no access" }, { title: "no key" }] }, "no access; no key"],
  [{ errors: [{ field: "chain_id", message: "no access" }] }, "chain_id: no access"],
  [{ error: { code: 7 } }, '{"code":7}'],
  [[], "[]"],
] as const)("the message of %j is %s", ([body, message]) =>
  Effect.gen(function* () {
    const error = yield* errorOf(positions, inputs, { status: 403, body })
    expect(error.message).toBe(`positions for ${vault}: ${message} (HTTP 403)`)
  }),
)

const valueOf = (schema: Readonly<Record<string, unknown>>): unknown => {
  if (schema["type"] === "integer" || schema["type"] === "number") return 1
  if (schema["type"] === "boolean") return false
  if (Array.isArray(schema["enum"])) return schema["enum"][0]
  if (Array.isArray(schema["prefixItems"])) return schema["prefixItems"].map(valueOf)
  return schema["type"] === "array" ? [valueOf(schema["items"] as never)] : vault
}

/** The failure that a response of an endpoint describes. */
const failureFrom = (
  endpoint: AnyEndpoint,
  status: number,
  body: unknown,
  response: Partial<ReceivedResponse> = {},
  context: Partial<RequestContext> = {},
) => {
  const text = typeof body === "string" ? body : JSON.stringify(body)
  const received = {
    status,
    text,
    body: Buffer.from(text),
    delaySeconds: undefined,
    location: undefined,
    forwardedBy: undefined,
    clockSkewSeconds: undefined,
    ...response,
  }
  const url = new URL("http://localhost/one?two=3")
  return errorFrom(
    {
      endpoint,
      url,
      body: undefined,
      wire: defaultWire,
      hasKey: true,
      isPlatformConfirmed: true,
      ...context,
    },
    received,
    parseJson(text),
  )
}

it("422 is an absence on every endpoint that knows one kind of vault, or of transaction (§7)", () => {
  const isAbsence = (endpoint: AnyEndpoint): boolean =>
    failureFrom(endpoint, 422, { detail: "of another kind" }).reason._tag === "Unsupported"
  const absent = endpoints.filter(isAbsence).map(({ name }) => name)
  expect(absent.toSorted()).toEqual([
    "annualized_apy",
    "audit_log",
    "collateral_simulation",
    "fees",
    "historical_allocations",
    "oracle_classification",
    "permissions",
    "positions",
    "revert_reason",
    "roles",
    "timelocks",
    "tokenized_vault",
    "vault_summary",
    "withdrawals",
  ])
})

it.each([
  [401, { _tag: "Unauthorized" }],
  [403, { _tag: "Forbidden" }],
  [408, { _tag: "Transport" }],
  [424, { _tag: "DependencyFailed" }],
  [429, { _tag: "RateLimited", delaySeconds: 7 }],
  [500, { _tag: "ServerError" }],
  [599, { _tag: "ServerError" }],
  [404, { _tag: "NotFound", expected: false }],
  [400, { _tag: "UnexpectedStatus" }],
  [499, { _tag: "UnexpectedStatus" }],
])("%d means the same on an endpoint without absences (§7)", (status, reason) => {
  const failure = failureFrom(tokenizedVaults, status, { detail: "no" }, { delaySeconds: 7 })
  expect(failure).toMatchObject({ reason, status })
  expect(failure.detail).toMatch(/^no\b/)
  const isRetried = !["NotFound", "UnexpectedStatus"].includes(reason._tag)
  expect(failure.delaySeconds).toBe(isRetried ? 7 : undefined)
})

it.each([
  ["a page, without a key", "<p>Blocked</p>", false, "UnexpectedStatus"],
  ["a page, though there is a key", "<p>Blocked</p>", true, "UnexpectedStatus"],
  ["the service, without a key", { detail: "Blocked" }, false, "UnexpectedStatus"],
  ["the service, which may refuse the key", { detail: "Blocked" }, true, "Forbidden"],
] as const)(
  "403 of what is public is a failure unless the key may be refused: %s",
  (_, body, hasKey, tag) => {
    const failure = failureFrom(positions, 403, body, {}, { hasKey })
    expect(failure.reason._tag).toBe(tag)
    expect(failure.detail).toMatch(/^Blocked/)
    expect(failure.detail.includes("http://localhost/one")).toBe(tag === "UnexpectedStatus")
    expect(failureFrom(keyVerification, 403, body, {}, { hasKey }).reason._tag).toBe("Forbidden")
  },
)

it.each([402, 405, 406, 407, 411, 413, 414, 415, 417, 421, 425, 426, 428, 431])(
  "%d is about the request of HTTP, so no absence where every other 4xx is one",
  (status) => {
    expect(failureFrom(performanceFees, status, { detail: "no" }).reason._tag).toBe(
      "UnexpectedStatus",
    )
    for (const other of [400, 404, 409, 410, 418, 422, 451]) {
      expect(failureFrom(performanceFees, other, { detail: "no" }).reason).toEqual({
        _tag: "NotFound",
        expected: true,
      })
    }
  },
)

it("500 is no absence, also where every 4xx is one", () => {
  expect(failureFrom(performanceFees, 500, { detail: "no" }).reason).toEqual({
    _tag: "ServerError",
  })
})

it("a validation error may hold anything beside its texts", () => {
  const body = { detail: [null, 7, true, { ctx: null, msg: "of another kind" }] }
  expect(failureFrom(positions, 422, body).reason).toEqual({ _tag: "Unsupported" })
})

it("a validation error names where it is by what of its place is text", () => {
  const places: ReadonlyArray<unknown> = [["query", { toString: 0 }, 3, null], [{ toString: 0 }]]
  const body = { detail: places.map((loc) => ({ loc, msg: "of another kind" })) }
  expect(failureFrom(positions, 422, body).detail).toBe("query.3: of another kind; of another kind")
})

describe("a redirect is not followed", () => {
  const redirected = (location: string | undefined) =>
    failureFrom(tokenizedVaults, 302, "", { location })

  it.each([
    ["https://elsewhere.example/one", "https://elsewhere.example/one"],
    ["https://localhost/one", "https://localhost/one"],
    ["//[", "//["],
    [undefined, "another address"],
  ])("to %s, where the service may have moved", (location, named) => {
    expect(redirected(location)).toEqual({
      reason: { _tag: "UnexpectedStatus" },
      status: 302,
      detail: `the service redirects to ${named}; if it has moved there, set the base URL to it`,
    })
  })

  it("to another path of the same address, which names the setting of the path", () => {
    expect(redirected("/login?next=one").detail).toBe(
      "the service redirects /one to /login of the same address: the path may be wrong, check the path of the base URL",
    )
    expect(failureFrom(positions, 307, "", { location: "two" }).detail).toContain(
      "redirects /one to /two of the same address: the path may be wrong, check platformSegment and the path of the base URL",
    )
    expect(failureFrom(keyVerification, 399, "", { location: "two" }).detail).toContain(
      "check paths.keyVerification",
    )
  })
})

describe("the text of a response without a message", () => {
  it.each([
    ["", "Internal Server Error"],
    [" \n", "Internal Server Error"],
    ["<style>a { b }</style><p>Oops,\n  it <b>broke</b>", "Oops, it broke"],
    ["<script>if (1 < 2) { x() }</script><h1>Oops</h1>", "Oops"],
    ["who is <redacted>?", "who is <redacted>?"],
    ["upstream", "upstream"],
    [JSON.stringify({ detail: "a  b\n c" }), "a b c"],
    [JSON.stringify({ detail: null }), '{"detail":null}'],
    [JSON.stringify({ detail: "" }), '{"detail":""}'],
    ["7", "7"],
    [JSON.stringify({ detail: "x".repeat(301) }), `${"x".repeat(300)}…`],
    [JSON.stringify({ detail: "x".repeat(300) }), "x".repeat(300)],
    [`<p>${"x".repeat(400)}`, `${"x".repeat(300)}…`],
  ])("%j is found", (body, detail) => {
    expect(failureFrom(tokenizedVaults, 500, body).detail).toBe(detail)
  })

  it("is that of the status, or says that there is none", () => {
    expect(failureFrom(tokenizedVaults, 503, "").detail).toBe("Service Unavailable")
    expect(failureFrom(tokenizedVaults, 599, "").detail).toBe("no body")
  })

  it("may be that of a proxy, which is named", () => {
    const forwardedBy = {
      url: Redacted.make("http://user:pass@proxy:3128"),
      origin: "http://proxy:3128",
      variable: "HTTP_PROXY",
    }
    const from = ", perhaps from the proxy http://proxy:3128 (HTTP_PROXY)"
    const of = (body: string) => failureFrom(tokenizedVaults, 500, body, { forwardedBy }).detail
    expect(of("")).toBe(`Internal Server Error${from}`)
    expect(of("<p>Oops")).toBe(`Oops${from}`)
    expect(of('{"detail":"no"}')).toBe("no")
  })

  it("comes with the address where the status is unexpected", () => {
    expect(failureFrom(tokenizedVaults, 418, { detail: "no" }).detail).toBe(
      "no, from http://localhost/one?two=3",
    )
  })
})

describe("a server error of an endpoint whose absences are server errors", () => {
  it("is one if it is repeated, unless nothing explains it or the service asks to wait", () => {
    const explained = failureFrom(revertReason, 500, { detail: "no debug tracing" })
    expect(explained).toEqual({
      reason: { _tag: "ServerError" },
      status: 500,
      detail: "no debug tracing",
      reasonIfRepeated: { _tag: "Unsupported" },
    })
    for (const [body, delaySeconds] of [
      [{ detail: "internal_server_error" }, undefined],
      [{ detail: "Cannot GET /one" }, undefined],
      ["<p>no debug tracing", undefined],
      ["", undefined],
      [{}, undefined],
      ["[]", undefined],
      [{ detail: null, code: 5 }, undefined],
      [{ detail: "no debug tracing" }, 3],
    ] as const) {
      const failure = failureFrom(revertReason, 500, body, { delaySeconds })
      expect(failure).not.toHaveProperty("reasonIfRepeated")
      expect(failure.delaySeconds).toBe(delaySeconds)
    }
    expect(failureFrom(tokenizedVaults, 500, { detail: "no" })).not.toHaveProperty(
      "reasonIfRepeated",
    )
  })
})

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
        const response = { status: 404, body: { detail: "Unknown vault" } }
        const error = yield* errorOf(endpoint, values as never, response)
        expect(error.reason, endpoint.name).toEqual({ _tag: "NotFound", expected: true })
      }
    }),
  )

  it.live.each([
    { detail: "Not Found" },
    { message: `Cannot GET /platform/positions/${vault}`, error: "Not Found" },
    { error: { code: 404, message: "Not Found" } },
    { errors: [{ status: "404", title: "Not Found" }] },
    { error: "NOT_FOUND" },
    {},
    { detail: null },
    page,
    "",
  ])("%j before anything below /platform/ has succeeded: the path may be wrong", (body) =>
    Effect.gen(function* () {
      let isUp = false
      const { client } = yield* startClient((_, response) => {
        if (isUp) json(response, [])
        else response.writeHead(404).end(typeof body === "string" ? body : JSON.stringify(body))
      })
      const error = yield* failureOf(client.call(positions, inputs))
      expect(error.reason).toEqual({ _tag: "NotFound", expected: false })
      expect(error.message).toMatch(/nothing at http:\/\/127.0.0.1:\d+\/platform\/positions\/0x/)
      expect(error.message).toContain("check platformSegment")
      isUp = true
      yield* client.call(unrealizedPnl, { vault })
      isUp = false
      const later = yield* failureOf(client.call(positions, inputs))
      // An HTML page is not from the service: all its responses are JSON (§4).
      expect(later.reason).toEqual({ _tag: "NotFound", expected: body !== page })
    }),
  )

  it.live("of a wrong base path names the address and the setting", () =>
    Effect.gen(function* () {
      const { client, server } = yield* startClient(
        (_, response) => json(response, { detail: "Not Found" }, 404),
        {},
        {},
        "/v9",
      )
      const error = yield* failureOf(client.call(tokenizedVaults, {}))
      expect(error.message).toBe(
        `tokenized_vaults: Not Found: the service has nothing at ${server.url}/v9/tokenized_vault; if the path is wrong, check the path of the base URL (HTTP 404)`,
      )
    }),
  )

  it.live("of an unknown transaction is no failure", () =>
    Effect.gen(function* () {
      const response = { status: 404, body: { detail: "transaction not found" } }
      const error = yield* errorOf(revertReason, { chain: 1, transactionHash: "0xab" }, response)
      expect(error.reason).toEqual({ _tag: "NotFound", expected: true })
    }),
  )
})

describe("an error of HTTP itself or of another server", () => {
  it.live.each([405, 413, 414, 415, 421, 431])("%d is no absence where any 4xx is one", (status) =>
    Effect.gen(function* () {
      const body = { detail: "no" }
      const error = yield* errorOf(performanceFees, { vault }, { status, body })
      expect(error.reason).toEqual({ _tag: "UnexpectedStatus" })
    }),
  )

  it.live.each([400, 404, 422])("%d with a page is no absence", (status) =>
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
    ["in JSON, escaped", (key: string) => key.replaceAll("+", String.raw`\u002B`)],
  ] as const)("is kept out of errors and of the archive %s", ([, spell]) =>
    Effect.gen(function* () {
      const key = 'a+b/c"d==e'
      const { client, directory } = yield* startClient(
        (_, response, number) => {
          if (number === 1) response.writeHead(403).end(`{"detail":"who is ${spell(key)}?"}`)
          else if (number === 2) response.writeHead(403).end(`who is ${spell(key)}?`)
          else response.writeHead(302, { location: `/login?key=${spell(key)}` }).end()
        },
        { apiKey: Redacted.make(key) },
      )
      for (let count = 0; count < 3; count += 1) {
        const error = yield* failureOf(client.call(positions, inputs))
        for (const text of [error.message, JSON.stringify(error)]) {
          expect(text).not.toContain(key)
          expect(text).not.toContain(spell(key))
          if (count < 2) expect(text).toContain("<redacted>")
        }
      }
      const segment = yield* Effect.promise(() => readFile(join(directory, "run.ndjson.zst")))
      const archived = zstdDecompressSync(segment).toString()
      expect(archived).toContain("<redacted>")
      expect(archived).not.toContain(spell(key))
    }),
  )

  it.live.each([
    ["paths.keyVerification", "@127.0.0.2/key", { paths: { keyVerification: "@127.0.0.2/key" } }],
    ["paths.keyVerification", "key", { paths: { keyVerification: "key" } }],
    ["paths.keyVerification", "/a/../../key", { paths: { keyVerification: "/a/../../key" } }],
    ["paths.keyVerification", "/{unknown}", { paths: { keyVerification: "/{unknown}" } }],
    ["platformSegment", "..", { platformSegment: ".." }],
    ["platformSegment", "a/../..", { platformSegment: "a/../.." }],
    ["platformSegment", "x?y", { platformSegment: "x?y" }],
    ["platformSegment", "@x", { platformSegment: "@x" }],
  ] as const)("is not sent by %s: %s", ([setting, , wire]) =>
    Effect.gen(function* () {
      const { client, server } = yield* startClient((_, response) => json(response, {}), {
        apiKey: Redacted.make("secret-key"),
        wire: { ...defaultWire, ...wire },
      })
      const call =
        "paths" in wire ? client.call(keyVerification, {}) : client.call(positions, inputs)
      const error = yield* failureOf<unknown>(call)
      expect(error.reason).toEqual({ _tag: "NotConfigured", setting })
      expect(error.message).toContain(setting)
      expect(server.requests).toHaveLength(0)
    }),
  )
})
