// The summary of a run.
import { describe, expect, it } from "vitest"
import { useStreams } from "../../../../src/cli/terminal/output.ts"
import { summaryText } from "../../../../src/cli/commands/sync/summaryText.ts"
import type { PipelineSummary, RunSummary } from "../../../../src/pipelines/model/progress.ts"
import { sink } from "../../command.ts"

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
  keyRejected: false,
})

/** The last line. */
const lastLine = (of: RunSummary) => summaryText(of, "data").trimEnd().split("\n").at(-1)

describe("the last line of a summary", () => {
  it("says that nothing is new", () => {
    expect(lastLine(summary(pipeline("fees", { unchanged: 2 })))).toBe(
      "Nothing new (3 requests, 1.0 s).",
    )
    expect(lastLine({ ...summary(pipeline("fees", { unchanged: 2 })), published: true })).toBe(
      "Nothing new (3 requests, 1.0 s). Published in data.",
    )
  })

  it("does not say of a partial run without new rows that they landed", () => {
    const partial = { ...summary(pipeline("fees", { failed: 1 })), outcome: "partial" as const }
    expect(summaryText(partial, "data")).toContain(
      "Partial: some tasks failed, nothing new in the rest (3 requests, 1.0 s).",
    )
    expect(summaryText({ ...partial, nothingNew: false }, "data")).toContain(
      "Partial: some tasks failed, the rest landed (3 requests",
    )
  })

  it("names the checks that failed, and how to see the rows", () => {
    const check = {
      name: "core.fees.not_null",
      description: "no column that is required is null",
      severity: "error" as const,
      tolerance: 0,
      outcome: "failed" as const,
      failures: 1,
      emptyTables: [],
      examples: [],
    }
    expect(summaryText({ ...summary(), failedChecks: [check] }, "data")).toContain(
      "core.fees.not_null: 1 row\n  `vaulthouse check --name NAME` shows the rows.",
    )
  })

  it("names suspicious empty responses, with and without new rows", () => {
    const suspicious = summary(
      pipeline("fees", { unchanged: 2, suspicious_empty: 1 }),
      pipeline("roles", { suspicious_empty: 2 }),
      pipeline("vaults", { unchanged: 1 }),
    )
    expect(lastLine(suspicious)).toContain("3 suspicious empty responses (fees, roles)")
    expect(lastLine({ ...suspicious, nothingNew: false })).toContain("3 suspicious empty responses")
  })
})

describe("errors", () => {
  const failing = (name: string, failed: number, ...firstErrors: ReadonlyArray<string>) => ({
    ...pipeline(name, { failed }),
    firstErrors,
  })
  const textOf = (...pipelines: ReadonlyArray<PipelineSummary>) =>
    summaryText({ ...summary(...pipelines), outcome: "failed" }, "data")

  it("that several pipelines met are printed once", () => {
    const down = "no complete response from http://x: ECONNREFUSED"
    const text = textOf(
      failing("vaults", 1, `tokenized_vaults: ${down}, after 5 attempts`),
      failing(
        "fees",
        1,
        `fees for 0xabc: not sent: every request has failed since 07:40:06 UTC: ${down}`,
      ),
      failing("roles", 1, "roles for 0xabc: Internal error (HTTP 500)"),
    )
    expect(text.split(down)).toHaveLength(2)
    expect(text).toContain(`Errors in 3 tasks:\n  vaults, fees: tokenized_vaults: ${down},`)
    expect(text).toContain("\n  roles: roles for 0xabc: Internal error (HTTP 500)\n")
  })

  it("that all pipelines met do not name each of them", () => {
    const down = "no complete response from http://x: ECONNREFUSED"
    const failed = Array.from({ length: 18 }, (_, at) =>
      failing(`p${at}`, 1, `e${at}: ${down}, after ${at + 2} attempts; check the base address`),
    )
    const others = [pipeline("idle", {}), { ...pipeline("keyed", {}), skipped: "needs a key" }]
    const why = `: e0: ${down}, after 2 attempts; check the base address\n`
    expect(textOf(...failed, ...others)).toContain(`\n  all 18 pipelines${why}`)
    expect(textOf(...failed, pipeline("read", { unchanged: 1 }))).toContain(
      `\n  18 pipelines${why}`,
    )
    expect(textOf(...failed.slice(0, 4))).toContain(`\n  p0, p1, p2, p3${why}`)
  })

  it("that differ only in the path are printed once", () => {
    const nothingAt = (endpoint: string, vault: string) =>
      `${endpoint} for ${vault}: the service has nothing at http://x/acme/${vault}/${endpoint}; check it`
    const text = textOf(
      failing("roles", 2, nothingAt("roles", "0xabc"), nothingAt("roles", "0xdef")),
      failing("fees", 1, nothingAt("fees", "0xabc")),
    )
    expect(text).toContain(`\n  roles, fees: ${nothingAt("roles", "0xabc")}\n`)
    expect(text.split("has nothing at")).toHaveLength(2)
  })

  it("beyond those shown are counted; a published run lists them", () => {
    const errors = Array.from({ length: 9 }, (_, at) => failing(`p${at}`, 4, `e${at}: cause ${at}`))
    const partial = summary(...errors)
    expect(summaryText(partial, "data")).toMatch(
      /^Errors in 36 tasks:\n( {2}p\d: .+\n){4} {2}… and 5 more$/m,
    )
    expect(summaryText({ ...partial, outcome: "partial", published: true }, "data")).toContain(
      "`vaulthouse runs show last` has every error",
    )
  })
})

it("a deferred run says how long a wait the service requires", () => {
  const deferred = { ...pipeline("fees", { deferred: 1 }), delaySeconds: 5400 }
  expect(lastLine({ ...summary(deferred), outcome: "deferred" })).toContain(
    "Deferred: the service requires a wait of 1 h 30 min (",
  )
})

describe("pipelines that were not read", () => {
  const skipped = (name: string, reason: string): PipelineSummary => ({
    ...pipeline(name, { skipped: 2 }),
    skipped: reason,
  })

  it("have a line for each reason instead of a row", () => {
    const text = summaryText(
      summary(
        pipeline("vaults", { loaded: 1 }),
        pipeline("revert_reasons", {}),
        skipped("loans", "loans: Invalid key (HTTP 401)"),
        skipped("health_factors", "health_factors for 0xabc: Invalid key (HTTP 401)"),
        skipped("cefi_positions", "path not configured (paths.cefiPositions)"),
      ),
      "data",
    )
    expect(text).toContain("\n  loans, health_factors: Invalid key (HTTP 401)\n")
    expect(text).toContain("\n  cefi_positions: path not configured (paths.cefiPositions)\n")
    expect(text).toContain("Unchanged: vaults. Nothing to read: revert_reasons.\n")
  })
})

it("every pipeline with news, errors, reasons to skip and failed checks fit one screen", () => {
  const news = (at: number) => ({
    ...pipeline(`news${at}`, { loaded: 1 }),
    rowsInserted: 1000 - at,
  })
  const failed = (at: number) => ({
    ...pipeline(`failed${at}`, { failed: 3 }),
    firstErrors: [`endpoint: ${`reason ${at} `.repeat(40)}`],
  })
  const skipped = (at: number) => ({
    ...pipeline(`skipped${at}`, { skipped: 1 }),
    skipped: `reason ${at}`,
  })
  const check = (at: number) => ({
    name: `check${at}`,
    severity: "warn" as const,
    description: "",
    tolerance: null,
    outcome: "failed" as const,
    failures: at,
    emptyTables: [],
    examples: [],
  })
  const thirteen = Array.from({ length: 13 }, (_, at) => at)
  const all = summary(...thirteen.flatMap((at) => [news(at), failed(at), skipped(at)]))
  const { stream } = sink(80)
  useStreams({ stdin: process.stdin, stdout: stream, stderr: stream })
  const text = summaryText(
    { ...all, outcome: "partial", failedChecks: thirteen.map(check), published: true },
    "data",
  )
  useStreams(process)
  const shown = text.trimEnd().split("\n")
  expect(shown.length).toBeLessThan(24)
  expect(shown.filter((line) => line.length > 80)).toEqual([])
  expect(text).toMatch(/^news0 +1,000 +0 +1$/m)
  expect(text).toMatch(/^… 10 others +9,925 +0 +10$/m)
})
