// How a command ends that a signal stops.
import * as Effect from "effect/Effect"
import { expect, it } from "vitest"
import { runToEnd, stopped } from "../../../src/cli/execute/execute.ts"
import { useStreams } from "../../../src/cli/terminal/output.ts"
import { LoadError } from "../../../src/load/errors.ts"
import { sink } from "../command.ts"

const full = new LoadError({
  reason: "Files",
  what: "Copying the database",
  why: "the disk is full",
  advice: "Free space.",
  cause: undefined,
})

/** Exit code and standard error of a command that gets a signal while it does what can't be interrupted. */
const ended = async (after: Effect.Effect<never, LoadError>) => {
  const { stream, text } = sink()
  useStreams({ stdin: process.stdin, stdout: stream, stderr: stream })
  try {
    // The test runner listens to signals too.
    const signalled = Effect.promise(async () => {
      await new Promise((resolve) => setImmediate(resolve))
      process.listeners("SIGTERM").at(-1)?.("SIGTERM")
    })
    const work = Effect.andThen(
      Effect.uninterruptible(Effect.andThen(signalled, after)),
      Effect.never,
    )
    return { code: await runToEnd(work, stopped), text: text() }
  } finally {
    useStreams(process)
  }
}

it("a failure of what a signal stops is shown before the end", async () => {
  const { code, text } = await ended(Effect.fail(full))
  expect(code).toBe(130)
  expect(text).toMatch(
    /^vaulthouse: copying the database.*the disk is full.*\nvaulthouse: stopped\n$/s,
  )
})

it("what a signal stops without a failure says that it was stopped", async () => {
  const { code, text } = await ended(Effect.void as Effect.Effect<never>)
  expect({ code, text }).toEqual({ code: 130, text: "vaulthouse: stopped\n" })
})
