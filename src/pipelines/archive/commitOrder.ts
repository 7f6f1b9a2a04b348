// The order in which a rebuild commits again what runs had committed.
import type { Commit } from "./commits.ts"

export interface Turn {
  readonly commits: ReadonlyArray<Commit>
  /** How many of them may be committed together. */
  readonly atOnce: number
}

// As many as the loader commits together.
const BATCHES_AT_ONCE = 256

/**
 * The commits of one run, one pipeline after the other: no two pipelines write the same rows, and a commit costs more the more
 * tables it writes. They end before those of the next run begin, so that batches with the same rows never share a commit. Of
 * runs of a lake that overlap, each commit comes alone, in the order in which they ended: each may have revised the other.
 */
export const inOrder = (commits: ReadonlyArray<Commit>): ReadonlyArray<Turn> => {
  const runs = [...Map.groupBy(commits, ([first]) => first?.runId).values()]
    .map((ofRun) => ({ ofRun, began: least(ofRun.map(beganAt)), ended: most(ofRun.map(endedAt)) }))
    .toSorted((one, other) => one.began - other.began)
  const overlapping: Array<{ runs: Array<ReadonlyArray<Commit>>; ended: number }> = []
  for (const { ofRun, began, ended } of runs) {
    const last = overlapping.at(-1)
    if (last !== undefined && began <= last.ended) {
      last.runs.push(ofRun)
      last.ended = Math.max(last.ended, ended)
    } else overlapping.push({ runs: [ofRun], ended })
  }
  return overlapping.map((turn) =>
    turn.runs.length === 1
      ? { commits: byPipeline(turn.runs.flat()), atOnce: BATCHES_AT_ONCE }
      : { commits: byPipeline(turn.runs.flat().toSorted(byEnd)), atOnce: 1 },
  )
}

const byPipeline = (commits: ReadonlyArray<Commit>): ReadonlyArray<Commit> =>
  [...Map.groupBy(commits, ([first]) => first?.pipeline).values()].flat()

const least = (times: ReadonlyArray<number>): number =>
  times.reduce((first, time) => Math.min(first, time), Infinity)

const most = (times: ReadonlyArray<number>): number =>
  times.reduce((last, time) => Math.max(last, time), -Infinity)

const beganAt = (commit: Commit): number => least(commit.map(({ receivedAt }) => receivedAt))

const endedAt = (commit: Commit): number => most(commit.map(({ receivedAt }) => receivedAt))

const byEnd = (one: Commit, other: Commit): number => endedAt(one) - endedAt(other)
