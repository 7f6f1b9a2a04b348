// What the API key gives access to: one cheap request to each endpoint that is not public, for the first vault,
// subaccount, loan and ladder of the lists read before. Never sends one that changes something.
import * as Effect from "effect/Effect"
import { canonicalAddress } from "../../domain/values/address.ts"
import type { ApiError } from "../../domain/wire/errors.ts"
import { isErrorObject } from "../../domain/wire/errorObject.ts"
import { isJsonObject, type JsonObject } from "../../domain/values/json.ts"
import { ApiClient } from "../../extract/ApiClient.ts"
import type { AnyEndpoint, AuthTier, Inputs } from "../../extract/Endpoint.ts"
import { endpoints } from "../../extract/endpoints/index.ts"
import { keyVerification } from "../../extract/endpoints/subaccounts/key_verification.ts"
import { tokenizedVaults } from "../../extract/endpoints/vaults/tokenized_vaults.ts"
import type { Parameter, Parameters } from "../../extract/Parameter.ts"
import { clientOutsideRun, type Service } from "./clientOutsideRun.ts"

export type Access =
  | "allowed"
  /** 401: no key, or one the service does not know. */
  | "key unknown"
  /** 403: the key is known but has no access. */
  | "forbidden"
  | "not configured"
  | "not checked"
  /** The response says nothing about the key: a timeout, a server error, or a body that is not the service's. */
  | "unclear"

export interface EndpointAccess {
  readonly endpoint: string
  readonly auth: AuthTier
  readonly access: Access
  readonly detail: string
}

type Subject = "vault" | "subaccount" | "loan" | "ladder"

interface Found {
  readonly address: string
  readonly chain: number | undefined
}

type Subjects = Partial<Record<Subject, Found>>

/** Lists whose first record is the subject of other requests. */
const listed: Readonly<Record<string, Subject>> = {
  my_subaccounts: "subaccount",
  subaccount_directory: "subaccount",
  loans: "loan",
  discount_factors: "ladder",
}

// A 429 says nothing of the other endpoints, which are tried after its pause, unless that is long.
const START_WAIT_SECONDS = 10

/** `slow`: include the endpoints that the document calls slow. */
export const keyAccess = (service: Service, { slow }: { readonly slow: boolean }) =>
  Effect.gen(function* () {
    const subjects: Subjects = {}
    yield* Effect.ignore(check(tokenizedVaults, {}, subjects, "vault"))
    const table: Array<EndpointAccess> = []
    for (const endpoint of guarded()) {
      const { name, auth } = endpoint
      const inputs = skipReason(endpoint, slow) ?? inputsOf(endpoint, subjects)
      const verdict: Verdict =
        typeof inputs === "string"
          ? { access: "not checked", detail: inputs }
          : yield* check(endpoint, inputs, subjects, listed[name])
      table.push({ endpoint: name, auth, ...verdict })
    }
    return table
  }).pipe(
    // One request each: failures are reported, not retried.
    Effect.provide(
      clientOutsideRun({
        ...service,
        api: { ...service.api, retryBudgetSeconds: 0, startWaitSeconds: START_WAIT_SECONDS },
      }),
    ),
  )

/** The endpoints that are not public, the lists first. */
const guarded = (): ReadonlyArray<AnyEndpoint> => {
  const all = endpoints.filter(({ auth }) => auth !== "public")
  return [
    ...all.filter(({ name }) => name in listed),
    ...all.filter(({ name }) => !(name in listed)),
  ]
}

const skipReason = (endpoint: AnyEndpoint, slow: boolean): string | undefined => {
  if (endpoint.unsafe === true) return "it changes something"
  if (endpoint.method !== "GET") return "it needs a scenario"
  return endpoint.attemptSeconds !== undefined && !slow
    ? "slow; `doctor --all` includes it"
    : undefined
}

const subjectOf = (name: string): Subject | undefined => {
  if (/^vault/i.test(name)) return "vault"
  if (/^token/i.test(name)) return "ladder"
  if (/^loan/i.test(name)) return "loan"
  return /^address$|subaccount/i.test(name) ? "subaccount" : undefined
}

/** The required inputs, or why they can't be filled. */
const inputsOf = (
  { parameters }: AnyEndpoint,
  subjects: Subjects,
): Readonly<Record<string, unknown>> | string => {
  const required = Object.entries<Parameter<never>>(parameters).filter(([, each]) => each.required)
  // A chain belongs to the address of the same request.
  const main = required.map(([name]) => subjectOf(name)).find((subject) => subject !== undefined)
  const inputs: Record<string, unknown> = {}
  for (const [name, { schema }] of required) {
    const subject = subjectOf(name) ?? main
    const found = subject === undefined ? undefined : subjects[subject]
    const options = schema["enum"]
    if (Array.isArray(options)) inputs[name] = options[0]
    else if (schema["type"] === "boolean") inputs[name] = true
    else if (found === undefined) return `no ${subject ?? name} is known`
    else if (schema["type"] !== "integer") inputs[name] = found.address
    else if (found.chain === undefined) return `the chain of the ${subject ?? name} is not known`
    else inputs[name] = found.chain
  }
  return inputs
}

/** Sends one request; the first record of a list becomes the subject of others. */
const check = (
  endpoint: AnyEndpoint,
  inputs: Readonly<Record<string, unknown>>,
  subjects: Subjects,
  lists: Subject | undefined,
) =>
  Effect.gen(function* () {
    const client = yield* ApiClient
    const { value } = yield* client.call(endpoint, inputs as Inputs<Parameters>)
    const found = firstOf(value)
    if (lists !== undefined && found !== undefined) subjects[lists] ??= found
    if (endpoint.name === keyVerification.name && !isVerified(value)) {
      const detail = "the response does not say that the key is valid"
      return { access: "unclear", detail } satisfies Verdict
    }
    return { access: "allowed", detail: "" } satisfies Verdict
  }).pipe(Effect.catchTag("ApiError", (error) => Effect.succeed(verdictOf(error))))

/** Whether the response to a verification says something: the document shows no field of it. */
const isVerified = (body: unknown): boolean => {
  if (Array.isArray(body)) return body.some((each) => !isErrorObject(each) && isVerified(each))
  if (!isJsonObject(body)) return body !== null && body !== false && body !== ""
  return Object.keys(body).length > 0
}

type Verdict = Pick<EndpointAccess, "access" | "detail">

const verdictOf = (error: ApiError): Verdict => {
  const { reason, detail, problem } = error
  switch (reason._tag) {
    case "Unauthorized":
      return { access: "key unknown", detail: problem }
    case "Forbidden":
      return { access: "forbidden", detail: problem }
    case "NotConfigured":
      return { access: "not configured", detail: `set ${reason.setting}` }
    case "Unsupported":
      return { access: "allowed", detail: problem }
    case "NotFound":
      return { access: reason.expected ? "allowed" : "unclear", detail: problem }
    case "InvalidInput":
      return { access: "not checked", detail }
    case "ContractViolation":
    case "ResponseTooLarge":
    case "DependencyFailed":
    case "RateLimited":
    case "Defect":
    case "ServerError":
    case "UnexpectedStatus":
    case "Timeout":
    case "Transport":
      return { access: "unclear", detail: problem }
  }
}

/** The first record with an EVM address: some endpoints accept no other. */
const firstOf = (value: unknown): Found | undefined => {
  for (const record of Array.isArray(value) ? value : []) {
    const address = isJsonObject(record) ? addressIn(record) : undefined
    if (address !== undefined) return { address, chain: chainIn(record as JsonObject) }
  }
  return undefined
}

const addressIn = (record: JsonObject): string | undefined => {
  const named = Object.keys(record).filter((field) => /address/i.test(field))
  return [...named, ...Object.keys(record)]
    .map((field) => record[field])
    .filter((held) => typeof held === "string")
    .find((text) => canonicalAddress(text)?.kind === "evm")
}

const chainIn = (record: JsonObject): number | undefined =>
  Object.entries(record)
    .filter(([field]) => /chain/i.test(field))
    .map(([, held]) => (typeof held === "string" ? Number(held) : held))
    .find((held) => typeof held === "number" && Number.isSafeInteger(held)) as number | undefined
