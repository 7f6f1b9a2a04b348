// How long the calls of a run wait for nothing but another attempt: while all of them do, the run does no other work, so
// this time is bounded. It begins anew when an attempt has helped, since a long run meets many short troubles. What has been
// read by then need not wait for its end.
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"

// How often a wait looks whether it has to end.
const STEP_MILLIS = 1000
// Most troubles are over sooner.
const LONG_MILLIS = 10_000

export class RetryWaits {
  readonly #limitMillis: number
  readonly #onLong: Effect.Effect<void>
  #isLong = false
  #calls = 0
  #waiting = 0
  #aloneSince: number | undefined
  #spentMillis = 0

  /** `onLong` runs once, after 10 s in which all calls waited. Its own time does not count. */
  constructor(limitSeconds: number, onLong: Effect.Effect<void> = Effect.void) {
    this.#limitMillis = limitSeconds * 1000
    this.#onLong = onLong
  }

  /** Runs a call, which may wait with `wait`. */
  during<A, E, R>(call: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> {
    return this.#change(call, (by) => (this.#calls += by))
  }

  /** Returns whether the whole time has passed: `false` if the run may wait no longer. */
  wait(millis: number): Effect.Effect<boolean> {
    const steps = Effect.gen({ self: this }, function* () {
      for (let left = millis; left > 0; left -= STEP_MILLIS) {
        const spent = this.#spent(yield* Clock.currentTimeMillis)
        if (spent >= this.#limitMillis) return false
        if (spent >= LONG_MILLIS && !this.#isLong) {
          this.#isLong = true
          yield* this.#change(this.#onLong, (by) => (this.#waiting -= by))
        }
        yield* Effect.sleep(Math.min(left, STEP_MILLIS))
      }
      return true
    })
    return this.#change(steps, (by) => (this.#waiting += by))
  }

  /** Another attempt of a call succeeded: that call does not wait, so no time runs that all spend waiting. */
  get helped(): Effect.Effect<void> {
    return Effect.sync(() => {
      this.#spentMillis = 0
    })
  }

  #change<A, E, R>(
    work: Effect.Effect<A, E, R>,
    count: (by: number) => void,
  ): Effect.Effect<A, E, R> {
    const add = (by: number) =>
      Effect.map(Clock.currentTimeMillis, (now) => {
        this.#spentMillis = this.#spent(now)
        count(by)
        this.#aloneSince = this.#waiting > 0 && this.#waiting === this.#calls ? now : undefined
      })
    return Effect.acquireUseRelease(
      add(1),
      () => work,
      () => add(-1),
    )
  }

  #spent(now: number): number {
    return this.#spentMillis + (this.#aloneSince === undefined ? 0 : now - this.#aloneSince)
  }
}
