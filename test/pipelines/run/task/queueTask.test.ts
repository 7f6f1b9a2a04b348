import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { temporaryFolder } from "../../../support/temporaryFolder.ts"
import { queries } from "../../../support/warehouseRun.ts"
import { readPages } from "../pages.ts"

describe("a page whose rows name a response that its task does not have", () => {
  it.live("is a failed task: its rows could not be traced", () =>
    Effect.gen(function* () {
      const dataDir = yield* temporaryFolder
      const { outcomes } = yield* readPages(dataDir, "20260601T000000000Z-000000", { unnamed: 2 })
      expect(outcomes).toEqual({ loaded: 1, failed: 1 })
      const [stored, failed] = yield* queries(dataDir, [
        "select value from core.readings",
        "select error_text from ops.tasks where outcome = 'failed'",
      ])
      expect(stored).toEqual([{ value: 1 }])
      expect(failed).toMatchObject([
        { error_text: expect.stringContaining("a row names a response that is archived") },
      ])
    }),
  )
})
