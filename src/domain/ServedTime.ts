// Time that counts against a limit: all but what is spent waiting for a turn, which is nobody's fault and as long
// as the run has others to serve first.

export class ServedTime {
  private readonly startedAt: number
  private waited = 0
  private waiting = 0
  private waitingSince = 0

  /** Instants in milliseconds, here and below. */
  constructor(startedAt: number) {
    this.startedAt = startedAt
  }

  /** Stops the clock, until as many have proceeded as were waiting. */
  wait(now: number): void {
    if (this.waiting === 0) this.waitingSince = now
    this.waiting += 1
  }

  proceed(now: number): void {
    this.waiting -= 1
    if (this.waiting === 0) this.waited += now - this.waitingSince
  }

  get isWaiting(): boolean {
    return this.waiting > 0
  }

  elapsed(now: number): number {
    return (this.isWaiting ? this.waitingSince : now) - this.startedAt - this.waited
  }
}
