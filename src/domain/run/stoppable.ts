// Work on files or connections that must not go on by itself where the command that began it is stopped.
import * as Effect from "effect/Effect"

/** Like `Effect.tryPromise`, but an interruption waits until the work has ended, which `stop` asks it to do soon. */
export const stoppable = <A, E>(work: {
  readonly try: (stop: AbortSignal) => Promise<A>
  readonly catch: (cause: unknown) => E
}): Effect.Effect<A, E> =>
  Effect.callback((resume) => {
    const controller = new AbortController()
    const ended = work.try(controller.signal).then(
      (value) => resume(Effect.succeed(value)),
      (cause: unknown) => resume(Effect.fail(work.catch(cause))),
    )
    return Effect.promise(() => {
      controller.abort()
      return ended
    })
  })
