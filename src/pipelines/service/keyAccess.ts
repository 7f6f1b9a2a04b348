// What the API key opens: one cheap question for each endpoint that is not public, about the first vault,
// subaccount, loan and ladder that the lists before it tell of. Never one that changes something.
import * as Effect from "effect/Effect"
import { canonicalAddress } from "../../domain/address.ts"
import type { ApiError } from "../../domain/errors.ts"
import { isJsonObject, type JsonObject } from "../../domain/json.ts"
import { ApiClient } from "../../extract/ApiClient.ts"
import type { AnyEndpoint, AuthTier, Inputs } from "../../extract/Endpoint.ts"
import { endpoints } from "../../extract/endpoints/index.ts"
import { tokenizedVaults } from "../../extract/endpoints/vaults/tokenized_vaults.ts"
import type { Parameter, Parameters } from "../../extract/Parameter.ts"
import { clientOutsideRun, type Service } from "./clientOutsideRun.ts"

export type Access =
  | "allowed"
  /** 401: no key, or one the service does not know. */
  | "key unknown"
  /** 403: the key is known and may not. */
  | "forbidden"
  | "not configured"
  | "not asked"
  /** The answer tells nothing about the key: a timeout, a failure of the server. */
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

/** Lists that tell whom to ask about. */
const tells: Readonly<Record<string, Subject>> = {
  my_subaccounts: "subaccount",
  subaccount_directory: "subaccount",
  loans: "loan",
  discount_factors: "ladder",
}

/** `slow`: also ask what the document calls slow. */
export const keyAccess = (service: Service, { slow }: { readonly slow: boolean }) =>
  Effect.gen(function* () {
    const subjects: Subjects = {}
    yield* Effect.ignore(ask(tokenizedVaults, {}, subjects, "vault"))
    const table: Array<EndpointAccess> = []
    for (const endpoint of guarded()) {
      const known = inputsOf(endpoint, subjects)
      const why = reasonNotToAsk(endpoint, slow) ?? (typeof known === "string" ? known : undefined)
      const { name, auth } = endpoint
      if (why !== undefined || typeof known === "string") {
        table.push({ endpoint: name, auth, access: "not asked", detail: why ?? "" })
        continue
      }
      const asked = ask(endpoint, known, subjects, tells[name])
      table.push({ endpoint: name, auth, ...(yield* asked) })
    }
    return table
  }).pipe(
    // Asked once each: what fails is told, not tried again.
    Effect.provide(
      clientOutsideRun({ ...service, api: { ...service.api, retryBudgetSeconds: 0 } }),
    ),
  )

/** Those that tell of others first. */
const guarded = (): ReadonlyArray<AnyEndpoint> => {
  const all = endpoints.filter(({ auth }) => auth !== "public")
  return [...all.filter(({ name }) => name in tells), ...all.filter(({ name }) => !(name in tells))]
}

const reasonNotToAsk = (endpoint: AnyEndpoint, slow: boolean): string | undefined => {
  if (endpoint.unsafe === true) return "it changes something"
  if (endpoint.method !== "GET") return "it needs a scenario"
  return endpoint.attemptSeconds !== undefined && !slow ? "slow; --all asks it too" : undefined
}

const subjectOf = (name: string): Subject | undefined => {
  if (/^vault/i.test(name)) return "vault"
  if (/^token/i.test(name)) return "ladder"
  if (/^loan/i.test(name)) return "loan"
  return /^address$|subaccount/i.test(name) ? "subaccount" : undefined
}

/** Required inputs, or what is missing to fill them. */
const inputsOf = (
  { parameters }: AnyEndpoint,
  subjects: Subjects,
): Readonly<Record<string, unknown>> | string => {
  const required = Object.entries<Parameter<never>>(parameters).filter(([, each]) => each.required)
  // A chain is that of the address beside it.
  const main = required.map(([name]) => subjectOf(name)).find((subject) => subject !== undefined)
  const inputs: Record<string, unknown> = {}
  for (const [name, { schema }] of required) {
    const subject = subjectOf(name) ?? main
    const found = subject === undefined ? undefined : subjects[subject]
    const options = schema["enum"]
    if (Array.isArray(options)) inputs[name] = options[0]
    else if (schema["type"] === "boolean") inputs[name] = true
    else if (found === undefined) return `no ${subject ?? name} is known to ask about`
    else if (schema["type"] !== "integer") inputs[name] = found.address
    else if (found.chain === undefined) return `the chain of the ${subject ?? name} is not known`
    else inputs[name] = found.chain
  }
  return inputs
}

const ask = (
  endpoint: AnyEndpoint,
  inputs: Readonly<Record<string, unknown>>,
  subjects: Subjects,
  teaches: Subject | undefined,
) =>
  Effect.gen(function* () {
    const client = yield* ApiClient
    const { value } = yield* client.call(endpoint, inputs as Inputs<Parameters>)
    const found = firstOf(value)
    if (teaches !== undefined && found !== undefined) subjects[teaches] ??= found
    return { access: "allowed", detail: "" } satisfies Verdict
  }).pipe(Effect.catchTag("ApiError", (error) => Effect.succeed(verdictOf(error))))

type Verdict = Pick<EndpointAccess, "access" | "detail">

const verdictOf = (error: ApiError): Verdict => {
  const { reason, detail, status } = error
  switch (reason._tag) {
    case "Unauthorized":
      return { access: "key unknown", detail: `HTTP ${status}: ${detail}` }
    case "Forbidden":
      return { access: "forbidden", detail: `HTTP ${status}: ${detail}` }
    case "NotConfigured":
      return { access: "not configured", detail: `set ${reason.setting}` }
    case "NotFound":
    case "Unsupported":
      return { access: "allowed", detail: `HTTP ${status}: ${detail}` }
    case "ContractViolation":
      return { access: "allowed", detail }
    case "InvalidInput":
      return { access: "not asked", detail }
    case "DependencyFailed":
    case "RateLimited":
    case "ServerError":
    case "UnexpectedStatus":
    case "Timeout":
    case "Transport":
      return {
        access: "unclear",
        detail: status === undefined ? detail : `HTTP ${status}: ${detail}`,
      }
  }
}

/** The first EVM address of a list's records: some endpoints take no other. */
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
