// Measures the time that counts against a limit, which excludes the time spent waiting for a start in the request
// budget.
import * as Effect from "effect/Effect"
import { steadyTime } from "./steadyTime.ts"

export class ActiveTime {
  private readonly now: () => number
  private readonly startedAt: number
  private pausedMillis = 0
  private pauses = 0
  private pausedAt = 0

  /** `now` is in milliseconds. */
  private constructor(now: () => number) {
    this.now = now
    this.startedAt = now()
  }

  /** Counts from when this runs. */
  static readonly start: Effect.Effect<ActiveTime> = Effect.map(
    steadyTime,
    (now) => new ActiveTime(now),
  )

  /** Stops the clock until every pause has ended, because several requests of a task may wait at once. */
  pause(): void {
    if (this.pauses === 0) this.pausedAt = this.now()
    this.pauses += 1
  }

  resume(): void {
    this.pauses -= 1
    if (this.pauses === 0) this.pausedMillis += this.now() - this.pausedAt
  }

  get isPaused(): boolean {
    return this.pauses > 0
  }

  /** Milliseconds. */
  elapsed(): number {
    return (this.isPaused ? this.pausedAt : this.now()) - this.startedAt - this.pausedMillis
  }
}
