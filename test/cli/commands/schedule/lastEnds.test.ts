// Whether a scheduler is ready: its runs and the maintenance of its lake end apart from each other.
import { expect, it } from "vitest"
import {
  endsBefore,
  exitCodeOfEnds,
  type LastEnd,
  type LastEnds,
  problemOfEnds,
  well,
} from "../../../../src/cli/commands/schedule/lastEnds.ts"
import type { LastRun } from "../../../../src/pipelines/run/lastRun.ts"

const last: LastRun = {
  run_id: "r",
  command: "schedule hourly",
  pid: 1,
  host: "a",
  started_at: "2026-06-01T12:00:00Z",
  finished_at: "2026-06-01T12:01:00Z",
  outcome: "complete",
  error: null,
  requests: 1,
  rows_inserted: 1,
  rows_revised: 0,
  seconds: 60,
  published: true,
  key_rejected: false,
  failed_checks: [],
  state: "ended",
  alive_at: null,
}
const partial: LastRun = { ...last, outcome: "partial" }
const failed = (problem: string): LastEnd => ({
  code: 4,
  problem,
  isRecorded: false,
  isDone: false,
})
const unlocked = failed("the lock was held for a day")
const unmaintained = failed("the lake can't be reached")

it.each<[string, Partial<LastEnds>, LastRun | undefined, string | undefined, number]>([
  ["all is well", {}, last, undefined, 0],
  ["nothing has run", {}, undefined, undefined, 0],
  ["a run of another process was partial", {}, partial, "partial", 0],
  [
    "maintenance failed, and a run after it is complete",
    { maintenance: unmaintained },
    last,
    "lake",
    4,
  ],
  [
    "maintenance failed, and a run was partial",
    { maintenance: unmaintained },
    partial,
    "partial",
    4,
  ],
  ["a run could not begin, and maintenance is well", { reading: unlocked }, last, "lock", 4],
  [
    "a run could not begin, and another is in progress",
    { reading: unlocked },
    { ...last, state: "running" },
    "lock",
    4,
  ],
])("%s", (_, ends, run, problem, code) => {
  const all = { reading: well, maintenance: well, ...ends }
  const found = problemOfEnds(all, run)
  if (problem === undefined) expect(found).toBeUndefined()
  else expect(found).toContain(problem)
  expect(exitCodeOfEnds(all)).toBe(code)
})

it("until this process has run any, the last run of another counts while the next is in progress", () => {
  const running: LastRun = { ...last, state: "running" }
  expect(problemOfEnds(endsBefore(partial), running)).toContain("partial")
  expect(problemOfEnds(endsBefore(last), running)).toBeUndefined()
})
