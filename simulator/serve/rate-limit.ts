// A token bucket (§7: 429 exists; §8: thresholds and reset behaviour not shown).
import type { RateLimit } from "../fault-types.ts"

export interface Grant {
  readonly allowed: boolean
  readonly headers: Readonly<Record<string, string>>
}

export class TokenBucket {
  readonly #limit: RateLimit
  /** Milliseconds. */
  readonly #now: () => number
  #tokens: number
  #at: number

  constructor(limit: RateLimit, now = (): number => performance.now()) {
    this.#limit = limit
    this.#now = now
    this.#tokens = limit.burst
    this.#at = now()
  }

  covers(path: string): boolean {
    return this.#limit.scope === "all" || path.startsWith("/platform/") || path === "/revert_reason"
  }

  take(): Grant {
    const { requestsPerSecond, burst, retryAfter } = this.#limit
    const at = this.#now()
    this.#tokens = Math.min(burst, this.#tokens + ((at - this.#at) / 1000) * requestsPerSecond)
    this.#at = at
    const allowed = this.#tokens >= 1
    if (allowed) this.#tokens -= 1
    const wait = Math.max(1, Math.ceil((1 - this.#tokens) / requestsPerSecond))
    if (retryAfter === "headers") {
      return {
        allowed,
        headers: {
          "x-ratelimit-limit": `${burst}`,
          "x-ratelimit-remaining": `${Math.floor(this.#tokens)}`,
          "x-ratelimit-reset": `${Math.ceil(Date.now() / 1000) + (allowed ? 0 : wait)}`,
        },
      }
    }
    return { allowed, headers: allowed ? {} : retryAfterHeader(retryAfter, wait) }
  }
}

export const retryAfterHeader = (
  form: "seconds" | "date" | "none",
  seconds: number,
): Record<string, string> => {
  if (form === "none") return {}
  // An HTTP date has whole seconds; rounding up keeps it from allowing a retry too early.
  const date = new Date(Math.ceil(Date.now() / 1000 + seconds) * 1000).toUTCString()
  return { "retry-after": form === "seconds" ? `${seconds}` : date }
}
