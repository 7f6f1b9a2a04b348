// An endpoint as a value: what is needed to validate and send a request and to check the response. Each row of §4 of
// the API document is one value, in its own file below endpoints/.
import type * as Schema from "effect/Schema"
import type * as Result from "effect/Result"
import type { Violation } from "../domain/wire/violation.ts"
import type { Parameters, ParameterValue } from "./Parameter.ts"

/**
 * The API key that an endpoint requires (§4, §5): none, any, an admin's, or for `curator` that of the vault's curator
 * or an admin. `undocumented`: §5.8 leaves it open, so requests carry the configured key, if there is one.
 */
export type AuthTier = "public" | "key" | "admin" | "curator" | "undocumented"

/** The paths that the document does not show (§4.3); the setting `paths` has their templates. */
export const configuredPaths = [
  "cefiPositions",
  "subaccountLoans",
  "subaccountOtcPositions",
  "keyVerification",
] as const

export type ConfiguredPath = (typeof configuredPaths)[number]

/** What an error response means that §7 expects. */
export type Absence = "unsupported" | "empty"

export interface Endpoint<P extends Parameters, A> {
  readonly name: string
  readonly title: string
  /** Paragraphs of the API document that describe it. */
  readonly section: string
  readonly method: "GET" | "POST"
  /**
   * Template below the base address: `{name}` is a path parameter, and `/platform/` stands for the configured segment.
   * A path that the document does not show comes from a setting.
   */
  readonly path: string | { readonly setting: ConfiguredPath }
  readonly auth: AuthTier
  readonly parameters: P
  /** Query parameters that belong to the row of §4, such as `fields=ratio`. */
  readonly fixedQuery?: Readonly<Record<string, string>>
  /** How long the server caches a response (§8). */
  readonly serverCacheSeconds?: number
  /**
   * Absences by status: `4xx` if the document does not show the status, `5xx with detail` for a permanent server error
   * that explains itself (§7). errorResponse.ts has exceptions.
   */
  readonly absences?: Readonly<Partial<Record<number | "4xx" | "5xx with detail", Absence>>>
  /** Checks combinations of inputs (§7, rules 5 and 6), and returns what is wrong. */
  readonly rule?: (inputs: Readonly<Record<string, unknown>>) => RejectedInput | undefined
  /** The minimum timeout of an attempt, for slow requests (§2.5, §8). */
  readonly attemptSeconds?: number
  /** Whether the request changes something; then it is never retried. */
  readonly unsafe?: true
  /** Converts a body whose field names the document withholds (§2.9) into the shape of `response`. */
  readonly locate?: (body: unknown) => Result.Result<unknown, Violation>
  readonly response: Schema.Codec<A, unknown, never, never>
}

export interface RejectedInput {
  readonly parameter: string
  readonly detail: string
}

export type Inputs<P extends Parameters> = {
  readonly [K in keyof P as P[K] extends { readonly required: false } ? never : K]: ParameterValue<
    P[K]
  >
} & {
  readonly [K in keyof P as P[K] extends { readonly required: false } ? K : never]?:
    | ParameterValue<P[K]>
    | undefined
}

/** Keeps the literal types of an endpoint's parameters. */
export const endpoint = <const P extends Parameters, A>(value: Endpoint<P, A>): Endpoint<P, A> =>
  value

/** An endpoint for uses that do not depend on the types of its inputs and response. */
export type AnyEndpoint = Pick<
  Endpoint<Parameters, unknown>,
  "name" | "title" | "section" | "method" | "path" | "auth" | "parameters" | "fixedQuery"
> &
  Pick<
    Endpoint<Parameters, unknown>,
    "serverCacheSeconds" | "absences" | "locate" | "rule" | "attemptSeconds" | "unsafe"
  > & {
    readonly response: Schema.Codec<unknown, unknown, never, never>
  }
