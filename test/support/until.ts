// Waiting for what another part of the machine does. How long it takes proves nothing, so nothing is asserted about it.
import * as Effect from "effect/Effect"

const PAUSE_MILLIS = 5

/** What hangs fails with what was awaited; the machine may be twenty times slower than usual before that. */
export const HANG_SECONDS = 300

/** Resolves with the first value that is neither false nor absent; at most five minutes later it fails. */
export const until = async <A>(
  what: string,
  find: () => A | Promise<A>,
): Promise<Exclude<A, false | null | undefined>> => {
  const givesUpAt = performance.now() + HANG_SECONDS * 1000
  for (;;) {
    const found = await find()
    if (found !== false && found !== undefined && found !== null) {
      return found as Exclude<A, false | null | undefined>
    }
    if (performance.now() > givesUpAt) {
      throw new Error(`waited ${HANG_SECONDS} s in vain until ${what}`)
    }
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MILLIS))
  }
}

/** As `until`; a test that is interrupted stops waiting. */
export const untilSo = <A>(what: string, find: () => A | Promise<A>) =>
  Effect.promise(() => until(what, find))
