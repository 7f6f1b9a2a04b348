// Decides when to stop sending because the service fails every request, and when to probe it with a single request.
// RequestBudget passes in the time.

import { formatInstant, microsFromMillis } from "../../domain/values/time.ts"
import type { Failure } from "../retry.ts"

const FAILURES_TO_OPEN = 30
// A service that has never responded is probably not there at all.
const FIRST_FAILURES_TO_OPEN = 4
const FIRST_MAX_WAIT_MILLIS = 2000
const FIRST_PAUSE_MILLIS = 500
const MAX_PAUSE_MILLIS = 30_000

export class CircuitBreaker {
  private hasResponded = false
  private failures = 0
  /** Endpoints that have failed since the last success; other endpoints may still work. */
  private triedEndpoints = new Set<string>()
  private failingSince = 0
  /** When the circuit was opened, and by which failure. */
  private opened: { readonly at: number; readonly by: Failure } | undefined
  private nextProbeAt = 0
  private pauseMillis = FIRST_PAUSE_MILLIS

  /** Records a response that is not a server error. */
  succeeded(): void {
    this.hasResponded = true
    this.failures = 0
    this.triedEndpoints.clear()
    this.opened = undefined
    this.pauseMillis = FIRST_PAUSE_MILLIS
  }

  failed(now: number, endpoint: string, failure: Failure): void {
    if (failure.status !== undefined) this.hasResponded = true
    if (this.failures === 0) this.failingSince = now
    this.failures += 1
    this.triedEndpoints.add(endpoint)
    const limit = this.hasResponded ? FAILURES_TO_OPEN : FIRST_FAILURES_TO_OPEN
    if (this.opened !== undefined || this.failures < limit) return
    this.opened = { at: now, by: failure }
    this.scheduleProbe(now)
  }

  /** Milliseconds until the request may be sent. */
  waitMillis(now: number, endpoint: string): number {
    if (this.opened === undefined || !this.triedEndpoints.has(endpoint)) return 0
    return Math.max(0, this.nextProbeAt - now)
  }

  /** The failure of a request that is not sent, because the circuit has been open for longer than it may wait. */
  failureOf(now: number, endpoint: string, maxWaitMillis: number): Failure | undefined {
    const max = this.hasResponded ? maxWaitMillis : Math.min(maxWaitMillis, FIRST_MAX_WAIT_MILLIS)
    if (this.opened === undefined || now - this.opened.at < max) return undefined
    // A service that has responded before may come back, so it is still probed.
    if (this.hasResponded && this.waitMillis(now, endpoint) === 0) return undefined
    const since = formatInstant(microsFromMillis(this.failingSince)).slice(11, 19)
    return {
      ...this.opened.by,
      // All requests of an outage have the same text, so that a summary can show it once.
      detail: `not sent: every request has failed since ${since} UTC: ${this.opened.by.detail}`,
      isFinal: true,
    }
  }

  /**
   * Records that a request is sent. While the circuit is open it is a probe, and the next probe waits twice as long.
   */
  sent(now: number, endpoint: string): void {
    if (this.opened === undefined) return
    this.triedEndpoints.add(endpoint)
    this.scheduleProbe(now)
  }

  private scheduleProbe(now: number): void {
    this.nextProbeAt = now + this.pauseMillis
    this.pauseMillis = Math.min(MAX_PAUSE_MILLIS, this.pauseMillis * 2)
  }
}
