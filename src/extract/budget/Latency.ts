// Detects a rise in the latency of an endpoint, a sign of load. Each process compares with its own best latency, since
// another process may be nearer to the service.

// Lower latencies are noise, not a sign of load.
const FLOOR_MILLIS = 250
const RISE = 4

export class Latency {
  private smoothed = 0
  private best = Infinity

  /** Records the latency of a response, in milliseconds. Returns whether latency has risen too far. */
  hasRisen(latency: number): boolean {
    this.best = Math.min(this.best, latency)
    this.smoothed = this.smoothed * 0.8 + latency * 0.2
    const limit = Math.max(FLOOR_MILLIS, this.best * RISE)
    if (this.smoothed <= limit) return false
    this.smoothed = limit / 2
    return true
  }

  /** The same for a request without a response. A quick failure says nothing about latency. */
  hasRisenInFailure(latency: number): boolean {
    return latency > FLOOR_MILLIS && this.hasRisen(latency)
  }
}
