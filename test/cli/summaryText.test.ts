// What a run says at its end.
import { describe, expect, it } from "vitest"
import { summaryText } from "../../src/cli/sync/summaryText.ts"
import type { PipelineSummary, RunSummary } from "../../src/pipelines/run/progress.ts"

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

describe("pipelines that were not read", () => {
  const skipped = (name: string, reason: string): PipelineSummary => ({
    ...pipeline(name, { skipped: 2 }),
    skipped: reason,
  })

  it("have no row, but a line for each reason", () => {
    const said = summaryText(
      summary(
        pipeline("vaults", { loaded: 1 }),
        pipeline("revert_reasons", {}),
        skipped("loans", "loans: Invalid key (HTTP 401)"),
        skipped("health_factors", "health_factors for 0xabc: Invalid key (HTTP 401)"),
        skipped("cefi_positions", "path not configured (paths.cefiPositions)"),
      ),
      "data",
    )
    expect(said.match(/^\w+ {2,}/gm)).toEqual(["pipeline  ", "vaults    "])
    expect(said).toContain("\n  loans, health_factors: Invalid key (HTTP 401)\n")
    expect(said).toContain("\n  cefi_positions: path not configured (paths.cefiPositions)\n")
    expect(said).toContain("\nNothing to ask: revert_reasons.\n")
  })

  it("keep their row where part of them was", () => {
    const partly = { ...pipeline("fees", { loaded: 1, skipped: 1 }), skipped: "fees: no" }
    expect(summaryText(summary(partly), "data")).toMatch(/^fees +1 loaded, 1 skipped/m)
  })
})
