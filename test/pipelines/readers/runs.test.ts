// `last` before any run was published.
import * as Effect from "effect/Effect"
import { expect, it } from "vitest"
import { findRun } from "../../../src/pipelines/readers/runs.ts"

it("says that there is none yet, and how to make one", async () => {
  const none = await Effect.runPromise(
    Effect.flip(findRun({ runs: [], unpublished: undefined }, "last")),
  )
  expect(none.message).toBe("No run is published yet.\nRun `vaulthouse sync` first.")
})
