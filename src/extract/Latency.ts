// Whether responses take longer than they could, a sign of load. Arithmetic of RequestBudget, without time or effects of
// its own; every process compares with its own best, since another may be nearer to the service.

// Lower latencies are noise, not a sign of load.
const FLOOR_MILLIS = 250
const RISE = 4

export class Latency {
  private smoothed = 0
  private best = Infinity

  /** Takes the latency of a response into account, in milliseconds; whether latency has risen too far since the last time. */
  hasRisen(latency: number): boolean {
    this.best = Math.min(this.best, latency)
    this.smoothed = this.smoothed * 0.8 + latency * 0.2
    const limit = Math.max(FLOOR_MILLIS, this.best * RISE)
    if (this.smoothed <= limit) return false
    this.smoothed = limit / 2
    return true
  }

  /** The same for a request without a response; a quick failure shows nothing. */
  hasRisenInFailure(latency: number): boolean {
    return latency > FLOOR_MILLIS && this.hasRisen(latency)
  }
}
