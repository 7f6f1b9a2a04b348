// Whether the configured `/platform/` segment is right, which a 404 below it may be about: known once anything there succeeds.
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"

/** How long the first responses wait for a success elsewhere. A wrong segment fails this much later, once in a run. */
const CONFIRMATION_SECONDS = 10

export class PlatformSegment {
  #isConfirmed = false
  readonly #settled = Deferred.makeUnsafe<void>()

  get isConfirmed(): boolean {
    return this.#isConfirmed
  }

  /** A path with the segment has succeeded. */
  get confirm(): Effect.Effect<void> {
    return Effect.suspend(() => {
      this.#isConfirmed = true
      return Effect.asVoid(Deferred.succeed(this.#settled, undefined))
    })
  }

  /** Until it is confirmed, or others have waited for that in vain. */
  get settled(): Effect.Effect<void> {
    return Deferred.await(this.#settled).pipe(
      Effect.timeoutOption(CONFIRMATION_SECONDS * 1000),
      Effect.andThen(Deferred.succeed(this.#settled, undefined)),
      Effect.asVoid,
    )
  }
}
