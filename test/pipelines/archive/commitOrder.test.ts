// A rebuild commits in the order in which runs did, those that overlapped included.
import { expect, it } from "vitest"
import type { IndexedResponse } from "../../../src/load/state/archiveIndex.ts"
import { inOrder } from "../../../src/pipelines/archive/commitOrder.ts"

const response = (runId: string, pipeline: string, receivedAt: number): IndexedResponse => ({
  responseId: `${runId}-${receivedAt}`,
  runId,
  pipeline,
  entity: "core.vaults",
  window: "all",
  isSuspicious: false,
  inputs: "",
  subject: "",
  receivedAt,
  sha256: "",
  file: "",
  offset: 0,
  length: 0,
})

const turnsOf = (...commits: ReadonlyArray<ReadonlyArray<IndexedResponse>>) =>
  inOrder(commits).map((turn) => ({
    atOnce: turn.atOnce,
    commits: turn.commits.map((commit) => commit.map(({ responseId }) => responseId).join()),
  }))

it("runs one after the other are committed so, each pipeline by pipeline, many at once", () => {
  expect(
    turnsOf(
      [response("A", "fees", 1), response("A", "fees", 4)],
      [response("A", "roles", 2)],
      [response("A", "fees", 3)],
      [response("B", "roles", 5)],
      [response("B", "fees", 6)],
    ),
  ).toEqual([
    { atOnce: 256, commits: ["A-1,A-4", "A-3", "A-2"] },
    { atOnce: 256, commits: ["B-5", "B-6"] },
  ])
})

it("runs that overlap are committed as their responses came, one at a time", () => {
  expect(
    turnsOf(
      // Begun first and ended last of its pipeline.
      [response("A", "fees", 1), response("A", "fees", 9)],
      [response("B", "fees", 4)],
      [response("A", "roles", 8)],
      [response("B", "roles", 6)],
      [response("C", "fees", 9)],
      [response("D", "fees", 10)],
    ),
  ).toEqual([
    { atOnce: 1, commits: ["B-4", "A-1,A-9", "C-9", "B-6", "A-8"] },
    { atOnce: 256, commits: ["D-10"] },
  ])
})
