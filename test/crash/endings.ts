// How a command may end: with a sentence that a user understands, and well only where nothing is missing.
import type { Ended } from "../cli/command.ts"
import type { Kind, Recorded } from "./journal.ts"

/** What does not hold after a death or an error. */
export interface Problem {
  readonly kind: "lost" | "doubled" | "unclear" | "other"
  readonly text: string
}

/**
 * How the command came to its end: somewhere, in a process of its own that had not done quite what was recorded, behind its last
 * effect, by an error of its own, with exit code 0, or with 3 as it left out what it could not read.
 */
export type End = "died" | "killed" | "complete" | "failed" | "ended well" | "left out"

/** An effect that may fail without a word: what it would have done is done again, or nothing needs it. */
interface Harmless {
  readonly path: RegExp
  /** All where absent. */
  readonly kinds?: ReadonlyArray<Kind>
  /** Only if a file is put in this place afterwards. */
  readonly followedBy?: RegExp
  readonly why: string
}

const harmless: ReadonlyArray<Harmless> = [
  {
    path: /^home\/\.cache(\/|$)/,
    why: "the template of an empty warehouse: without it, the next first sync makes the tables itself",
  },
  {
    path: /^data\/(replay\/)?vaulthouse\.duckdb\.new$/,
    why: "the copy of that template: without it, the tables are made in the warehouse itself",
  },
  {
    path: /^data\/(health|last-run)\.json[\w.-]*$/,
    why: "a copy, for monitoring, of what the warehouse has; the next run writes it",
  },
  {
    path: /^data\/(published\/current|postgres)\.json$/,
    kinds: ["open"],
    why: "without it nothing counts as published, in a file or to PostgreSQL, and all of it is published again",
  },
  {
    path: /^data\/published\/vaulthouse[^/]*\.duckdb$/,
    kinds: ["open"],
    followedBy: /^data\/published\/vaulthouse\.duckdb$/,
    why: "a copy that can't be read counts as changed, and is made again",
  },
  {
    path: /^data\/vaulthouse\.duckdb$/,
    kinds: ["write", "fsync"],
    why: "a checkpoint: what is committed was written to the log and flushed, and stays there for the next command",
  },
  {
    path: /^data\/vaulthouse\.duckdb\.wal$/,
    kinds: ["write", "fsync"],
    why: "the mark of that checkpoint; where the write or flush of a commit fails, the command does not end with 0",
  },
  {
    path: /./,
    kinds: ["mkdir"],
    why: "it was there already; into one that is not, nothing can be put, which fails as well",
  },
  {
    path: /./,
    kinds: ["unlink", "rmdir"],
    why: "what is left is removed by a later command, which the proof looks for (`left for ever`)",
  },
]

/** Whether it was written in another way: a copy of a file tries several. */
const isDoneAgain = (refused: Recorded, later: ReadonlyArray<Recorded>): boolean =>
  refused.kind === "write" &&
  later.some(
    (effect) =>
      !effect.isRefused &&
      effect.kind === "write" &&
      effect.path === refused.path &&
      effect.offset === refused.offset,
  )

const isHarmless = ({ path, kind }: Recorded, later: ReadonlyArray<Recorded>): boolean =>
  harmless.some(
    ({ followedBy, ...each }) =>
      each.path.test(path) &&
      (each.kinds?.includes(kind) ?? true) &&
      (followedBy === undefined ||
        later.some(
          (effect) =>
            !effect.isRefused && effect.kind === "rename" && followedBy.test(effect.path2),
        )),
  )

/** What a sync says whose rows have landed, and which leaves it to the next one to join or prune the archive. */
const LEFT_UNDONE = "old records stay for now: "

/** What that writes: segments, and where their responses are. */
const JOINED_OR_PRUNED = /^data\/(raw\/|vaulthouse\.duckdb)/

/** The refused effects without which something may be missing that the command says it has done. */
export const missed = (
  { stdout, stderr }: Ended,
  effects: ReadonlyArray<Recorded>,
): ReadonlyArray<string> => {
  const isLeftUndone = `${stderr}${stdout}`.includes(LEFT_UNDONE)
  const isSaid = ({ path }: Recorded): boolean => isLeftUndone && JOINED_OR_PRUNED.test(path)
  const missing = effects.filter((effect, at) => {
    const later = effects.slice(at + 1)
    return (
      effect.isRefused &&
      !isSaid(effect) &&
      !isDoneAgain(effect, later) &&
      !isHarmless(effect, later)
    )
  })
  return [
    ...new Set(
      missing.map(
        ({ kind, path, path2 }) => `${kind} ${path}${path2 === "" ? "" : ` to ${path2}`}`,
      ),
    ),
  ]
}

const documented: ReadonlySet<number | null> = new Set([0, 1, 2, 3, 4, 5])

/** SQL, C++ and what is said of a bug. */
const internals =
  /\b(SELECT|COPY|INSERT INTO|ATTACH) |\(\)|::|unexpected error|Stack trace|INTERNAL Error|std::/

/** What is not clear; a command that fails says why in one sentence and what to do in another, besides logs. */
export const unclearEnd = ({ code, stdout, stderr }: Ended): string | undefined => {
  const said = `${stderr}${stdout}`
  if (/^ {4}at /m.test(said)) return `a stack trace: ${said.slice(-1500)}`
  if (!documented.has(code)) return `exit code ${code}: ${said.slice(-600)}`
  if (code === 0) return undefined
  const paragraph = stderr.replaceAll(/^\{.*\n?/gm, "").trim()
  // What failed and why, and below it what to do.
  const isSentence = /^vaulthouse: \w[^\n]*(\n[^\n]+){0,3}$/.test(paragraph)
  // What a sync left out, and why, stands in what it prints.
  const isListed = code === 3 && paragraph === "" && /could not be read/.test(stdout)
  return (isSentence && !internals.test(paragraph)) || isListed
    ? undefined
    : `exit code ${code}, without one clear sentence: ${said.trim().slice(-600)}`
}
