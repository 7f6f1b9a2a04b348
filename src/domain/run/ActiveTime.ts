// Measures the time that counts against a limit, which excludes the time spent waiting for a start in the request
// budget.

export class ActiveTime {
  private readonly startedAt: number
  private pausedMillis = 0
  private pauses = 0
  private pausedAt = 0

  /** All instants are in milliseconds. */
  constructor(startedAt: number) {
    this.startedAt = startedAt
  }

  /** Stops the clock until every pause has ended, because several requests of a task may wait at once. */
  pause(now: number): void {
    if (this.pauses === 0) this.pausedAt = now
    this.pauses += 1
  }

  resume(now: number): void {
    this.pauses -= 1
    if (this.pauses === 0) this.pausedMillis += now - this.pausedAt
  }

  get isPaused(): boolean {
    return this.pauses > 0
  }

  elapsed(now: number): number {
    return (this.isPaused ? this.pausedAt : now) - this.startedAt - this.pausedMillis
  }
}
