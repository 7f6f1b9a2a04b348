// Log of requests: counters since the start, and the last requests in full, without API keys.
import type { HttpBindings } from "@hono/node-server"

export interface LoggedRequest {
  /** ISO instant, real time. */
  readonly at: string
  readonly method: string
  readonly url: string
  readonly headers: readonly string[]
  readonly hasApiKey: boolean
  /** 0 until a status is sent; it stays 0 if none is. */
  status: number
  /** The fault that applied, if any. */
  readonly fault: string | null
}

export interface RequestReport {
  /** "GET /platform/positions/{vault_address} 200" → how many. */
  readonly counts: Readonly<Record<string, number>>
  readonly total: number
  /** The last 2,000, oldest first. */
  readonly last: readonly LoggedRequest[]
}

const maxLast = 2000

export class RequestLog {
  readonly #counts = new Map<string, number>()
  #last: LoggedRequest[] = []
  #total = 0

  /** Logged on arrival, so that a stalled request can be seen while it stalls. */
  arrive(incoming: HttpBindings["incoming"], url: string, fault: string | null): LoggedRequest {
    const entry: LoggedRequest = {
      at: new Date().toISOString(),
      method: incoming.method ?? "GET",
      url,
      headers: Object.keys(incoming.headers),
      hasApiKey: incoming.headers["x-api-key"] !== undefined,
      status: 0,
      fault,
    }
    this.#total += 1
    this.#last.push(entry)
    // Cut in bulk: shifting an array for every request would cost more than the request.
    if (this.#last.length >= 2 * maxLast) this.#last = this.#last.slice(-maxLast)
    return entry
  }

  finish(entry: LoggedRequest, template: string, status: number): void {
    entry.status = status
    const name = `${entry.method} ${template} ${status}`
    this.#counts.set(name, (this.#counts.get(name) ?? 0) + 1)
  }

  report(): RequestReport {
    return {
      counts: Object.fromEntries(this.#counts),
      total: this.#total,
      last: this.#last.slice(-maxLast),
    }
  }
}
