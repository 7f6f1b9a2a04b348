// What a run says at its end.
import { describe, expect, it } from "vitest"
import { summaryText } from "../../src/cli/sync/summaryText.ts"
import type { PipelineSummary, RunSummary } from "../../src/pipelines/progress.ts"

const pipeline = (name: string, outcomes: PipelineSummary["outcomes"]): PipelineSummary => ({
  name,
  title: name,
  outcomes,
  rowsInserted: 0,
  rowsRevised: 0,
  requests: 1,
  seconds: 1,
  firstErrors: [],
  skipped: undefined,
})

const summary = (...pipelines: ReadonlyArray<PipelineSummary>): RunSummary => ({
  runId: "r",
  outcome: "complete",
  pipelines,
  requests: 3,
  rowsInserted: 0,
  rowsRevised: 0,
  seconds: 1,
  published: false,
  nothingNew: true,
  failedChecks: [],
  unknownVaults: [],
  isKeyUnknown: false,
})

/** The last line. */
const closing = (of: RunSummary) => summaryText(of, "data").trimEnd().split("\n").at(-1)

describe("the closing line of a run", () => {
  it("of which nothing is new says so and no more", () => {
    expect(closing(summary(pipeline("fees", { unchanged: 2 })))).toBe(
      "Nothing new (3 requests, 1.0 s).",
    )
  })

  it("names answers that were suspiciously empty, whether something is new or not", () => {
    const suspected = summary(
      pipeline("fees", { unchanged: 2, suspicious_empty: 1 }),
      pipeline("roles", { suspicious_empty: 2 }),
      pipeline("vaults", { unchanged: 1 }),
    )
    expect(closing(suspected)).toContain("3 suspicious empty answers (fees, roles)")
    expect(closing({ ...suspected, nothingNew: false })).toContain("3 suspicious empty answers")
  })
})
