// An endpoint of the API document as a value: everything needed to ask it, check the question, and
// check the answer. One row of §4 is one value, in a file of its own below endpoints/.
import type * as Schema from "effect/Schema"
import type * as Result from "effect/Result"
import type { Violation } from "../domain/violation.ts"
import type { Parameters, ParameterValue } from "./Parameter.ts"

/** Who may ask (§4, §5): anyone, any key, an admin key, a curator of the vault or admin. */
export type AuthTier = "public" | "key" | "admin" | "curator"

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
   * the configured segment.
   */
  readonly path: string
  readonly auth: AuthTier
  readonly parameters: P
  /** Query parameters that are part of the row itself, such as `fields=ratio`. */
  readonly fixedQuery?: Readonly<Record<string, string>>
  /** Time within which the server answers from its cache (§8): asking sooner tells nothing new. */
  readonly serverCacheSeconds?: number
  readonly absences?: Readonly<Record<number, Absence>>
  /** Finds the documented shape in a body whose field names the document withholds (§2.9). */
  readonly locate?: (body: unknown) => Result.Result<unknown, Violation>
  readonly response: Schema.Codec<A, unknown, never, never>
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
  Pick<Endpoint<Parameters, unknown>, "serverCacheSeconds" | "absences" | "locate"> & {
    readonly response: Schema.Codec<unknown, unknown, never, never>
  }
