// Faults the simulator can produce. `faults.ts` chooses one, `misbehave.ts` carries it out.

/** Which requests a fault affects. All given conditions must hold; with none given, every request. */
export interface FaultRule {
  /** The path begins with this. */
  readonly pathPrefix?: string
  /** The path with its query contains this. */
  readonly match?: string
  /** Share of requests, 0 to 1, drawn from the seed, the URL and how often it was requested. */
  readonly share?: number
  /** Only this many first requests of each distinct URL. */
  readonly first?: number
  /** At most this many times in total. */
  readonly count?: number
}

export type RetryAfter = "seconds" | "date" | "none"

export type FaultAction =
  /** An error response with a JSON detail, or an HTML page as a gateway would send. */
  | {
      readonly kind: "status"
      readonly status: number
      readonly detail?: string
      readonly html?: boolean
    }
  /** 429; Retry-After as seconds, as an HTTP date, or left out. Default 1 second. */
  | {
      readonly kind: "rate-limit"
      readonly retryAfter?: RetryAfter
      readonly retryAfterSeconds?: number
    }
  /** The correct response, late. */
  | { readonly kind: "slow"; readonly delayMs: number }
  /** No response until `delayMs` (default: until the client gives up). */
  | { readonly kind: "stall-headers"; readonly delayMs?: number }
  /** Headers and half a body, then nothing until `delayMs` (default: until the client gives up). */
  | { readonly kind: "stall-body"; readonly delayMs?: number }
  /** Half of the announced content-length, then the socket is destroyed. */
  | { readonly kind: "cut-body" }
  /** The socket is destroyed without a response. */
  | { readonly kind: "drop" }
  /** 200 with a documented field missing or of the wrong type in one record. */
  | { readonly kind: "contract-break"; readonly mode?: "missing" | "wrong-type" }
  /** 200 with a body that is not JSON. */
  | { readonly kind: "invalid-json" }
  /** 200 with no records where there is history. */
  | { readonly kind: "empty" }
  /** 307 to another origin: default the same server under the name `localhost`. */
  | { readonly kind: "redirect"; readonly location?: string }

export type Fault = FaultAction & FaultRule

export interface RateLimit {
  readonly requestsPerSecond: number
  /** How many requests may come at once before the rate limits them. */
  readonly burst: number
  /** "headers": X-RateLimit-Limit/-Remaining/-Reset on every response instead of Retry-After. */
  readonly retryAfter: RetryAfter | "headers"
  /** Which rows are limited: §7 names the transparency and PnL ones. Default "transparency". */
  readonly scope?: "transparency" | "all"
}
