// An endpoint of the API document as a value: everything needed to ask it, check the question, and
// check the answer. One row of §4 is one value, in a file of its own below endpoints/.
import type * as Schema from "effect/Schema"
import type * as Result from "effect/Result"
import type { Violation } from "../domain/violation.ts"
import type { Parameters, ParameterValue } from "./Parameter.ts"

/**
 * Who may ask (§4, §5): anyone, any key, an admin key, a curator of the vault or admin. `undocumented`
 * where §5.8 and §5.9 leave it open: asked with the key there is, or without.
 */
export type AuthTier = "public" | "key" | "admin" | "curator" | "undocumented"

/** The paths the document does not show (§4.3); `paths` of the configuration says where they are. */
export const configuredPaths = [
  "cefiPositions",
  "subaccountLoans",
  "subaccountOtcPositions",
  "keyVerification",
] as const

export type ConfiguredPath = (typeof configuredPaths)[number]

/** What an answer other than success means for this endpoint, when it is expected (§7). */
export type Absence = "unsupported" | "empty"

export interface Endpoint<P extends Parameters, A> {
  readonly name: string
  readonly title: string
  /** Paragraphs of the API document this value was written from. */
  readonly section: string
  readonly method: "GET" | "POST"
  /**
   * Template below the base address: `{name}` is a parameter in the path, `/platform/` is replaced by
   * the configured segment. Where the document shows none, the setting that does.
   */
  readonly path: string | { readonly setting: ConfiguredPath }
  readonly auth: AuthTier
  readonly parameters: P
  /** Query parameters that are part of the row itself, such as `fields=ratio`. */
  readonly fixedQuery?: Readonly<Record<string, string>>
  /** Time within which the server answers from its cache (§8): asking sooner tells nothing new. */
  readonly serverCacheSeconds?: number
  /**
   * By status; `4xx` for refusals whose status the document does not show; `5xx with detail` for a server error that
   * explains itself in the same words every time (§7): a bare one, or one that passes, stays an error. Never what
   * refuses the key, the pace, the request as such, or how an input is called, nor a page (refusal.ts).
   */
  readonly absences?: Readonly<Partial<Record<number | "4xx" | "5xx with detail", Absence>>>
  /** What must hold between inputs (§7, rules 5 and 6), or what is wrong with them. */
  readonly rule?: (inputs: Readonly<Record<string, unknown>>) => RejectedInput | undefined
  /** Least time an attempt is given, for reads that are slow by nature (§2.5, §8). */
  readonly attemptSeconds?: number
  /** The request changes something: it is sent once, whatever becomes of it. */
  readonly unsafe?: true
  /** Finds the documented shape in a body whose field names the document withholds (§2.9). */
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

/** What callers that do not look inside an endpoint hold. */
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
