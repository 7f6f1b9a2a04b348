// The exit codes by which a scheduler knows how a run ended.
import { describe, expect, it } from "vitest"
import { runExitCode } from "../../src/cli/commands/sync/runOnce.ts"
import { brokenPolicies, type FailOn } from "../../src/cli/execute/failOn.ts"
import { exitCodeOf, exitCodes } from "../../src/cli/parse/exit.ts"
import { ConfigError } from "../../src/config/ConfigError.ts"
import { type ProblemKind, problemKinds } from "../../src/domain/run/problem.ts"
import { UsageError } from "../../src/domain/UsageError.ts"
import { ApiError, type ApiErrorReason } from "../../src/domain/wire/errors.ts"
import { WarehouseLocked } from "../../src/load/errors.ts"

const problem = (kind: ProblemKind) => ({
  kind,
  subject: kind,
  text: `It is ${kind}.`,
  advice: "",
  since: null,
})

const check = (severity: "error" | "warn") => ({ name: severity, severity, outcome: "failed" })

/** The code of a run that differs in this from one without news. */
const codeOf = (
  ended: object,
  {
    include = [],
    failOn = [],
  }: { include?: ReadonlyArray<string>; failOn?: ReadonlyArray<FailOn> } = {},
) => {
  const summary = {
    outcome: "complete",
    unknownVaults: [],
    keyRejected: false,
    failedChecks: [],
    problems: [],
    ...ended,
  }
  return runExitCode(summary as never, { vaults: { include, exclude: [] } } as never, failOn)
}

describe("a run", () => {
  it.each([
    ["complete", exitCodes.ok],
    ["partial", exitCodes.partial],
    ["deferred", exitCodes.deferred],
    ["failed", exitCodes.unexpected],
  ])("that is %s", (outcome, code) => {
    expect(codeOf({ outcome })).toBe(code)
    // What it knows besides changes nothing.
    const include = ["a"]
    const more = { unknownVaults: ["a"], failedPublication: "down", failedChecks: [check("error")] }
    if (outcome !== "complete") expect(codeOf({ outcome, ...more }, { include })).toBe(code)
  })

  it("whose key was rejected is partial, however it ended", () => {
    for (const outcome of ["complete", "deferred", "failed"]) {
      expect(codeOf({ outcome, keyRejected: true })).toBe(exitCodes.partial)
    }
  })

  it("of vaults of which none is listed was selected wrongly, not one of which some are", () => {
    const include = ["a", "b"]
    expect(codeOf({ unknownVaults: ["a"] }, { include })).toBe(exitCodes.ok)
    expect(codeOf({ unknownVaults: ["a", "b"] }, { include })).toBe(exitCodes.usage)
  })

  it("fails by what was not published, then by its checks, of which warnings fail nothing", () => {
    const failedPublication = "PostgreSQL is down."
    const failedChecks = [check("warn"), check("error")]
    expect(codeOf({ failedPublication, failedChecks })).toBe(exitCodes.unexpected)
    expect(codeOf({ failedChecks })).toBe(exitCodes.checks)
    expect(codeOf({ failedChecks: [check("warn")] })).toBe(exitCodes.ok)
  })
})

describe("--fail-on", () => {
  const all: ReadonlyArray<FailOn> = ["stale", "checks", "gaps", "partial"]
  const wanted: Readonly<Record<ProblemKind, FailOn | undefined>> = {
    run_failed: "partial",
    key_rejected: "partial",
    clock_ahead: undefined,
    clock_behind: undefined,
    publication_failed: "partial",
    run_partial: "partial",
    failed_check: "checks",
    stale: "stale",
    quarantine: "partial",
    run_deferred: "partial",
    gap: "gaps",
    permanent_gap: undefined,
  }

  it.each(problemKinds)("%s fails a run by its own policy alone", (kind) => {
    const problems = [problem(kind)]
    const policy = wanted[kind]
    expect(brokenPolicies([], problems)).toEqual([])
    expect(brokenPolicies(all, problems).map(({ text }) => text.replace(/: .*/, ""))).toEqual(
      policy === undefined ? [] : [`fail-on ${policy}`],
    )
    expect(
      brokenPolicies(
        all.filter((each) => each !== policy),
        problems,
      ),
    ).toEqual([])
    const code =
      policy === undefined
        ? exitCodes.ok
        : policy === "checks" || policy === "stale"
          ? exitCodes.checks
          : exitCodes.partial
    expect(codeOf({ problems }, { failOn: all })).toBe(code)
    expect(codeOf({ problems })).toBe(exitCodes.ok)
  })

  it("gives the code of what is incomplete before that of what is wrong or old, in any order", () => {
    const problems = [problem("stale"), problem("failed_check"), problem("gap")]
    for (const failOn of [all, all.toReversed()]) {
      expect(codeOf({ problems }, { failOn })).toBe(exitCodes.partial)
    }
    expect(codeOf({ problems }, { failOn: ["stale"] })).toBe(exitCodes.checks)
  })
})

describe("an error", () => {
  const ofService = (reason: ApiErrorReason) =>
    new ApiError({
      reason,
      endpoint: "fees",
      subject: "-",
      status: undefined,
      detail: "",
      attempts: 0,
      responses: [],
    })

  it("has the code of who has to do something about it", () => {
    for (const error of [
      new ConfigError({ problems: [] }),
      new UsageError({ why: "no", advice: "" }),
      ofService({ _tag: "InvalidInput" } as ApiErrorReason),
      ofService({ _tag: "NotConfigured" } as ApiErrorReason),
    ]) {
      expect(exitCodeOf(error)).toBe(exitCodes.usage)
    }
    expect(exitCodeOf(new WarehouseLocked({ file: "writer.lock", holder: undefined }))).toBe(
      exitCodes.locked,
    )
    for (const error of [
      ofService({ _tag: "Transport" }),
      new Error("a bug"),
      { _tag: "Other" },
      "text",
      null,
      undefined,
    ]) {
      expect(exitCodeOf(error)).toBe(exitCodes.unexpected)
    }
  })
})
