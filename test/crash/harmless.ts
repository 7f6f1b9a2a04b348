// Effects that may fail without a word: what they would have done is done again, or nothing needs it.
import type { Kind, Recorded } from "./journal.ts"

interface Harmless {
  readonly path: RegExp
  /** All where absent. */
  readonly kinds?: ReadonlyArray<Kind>
  readonly why: string
}

const harmless: ReadonlyArray<Harmless> = [
  {
    path: /^home\/\.cache(\/|$)/,
    why: "the template of an empty warehouse: without it, the next first sync makes the tables itself",
  },
  {
    path: /^data\/vaulthouse\.duckdb\.new$/,
    why: "the copy of that template: without it, the tables are made in the warehouse itself",
  },
  {
    path: /^data\/(health|last-run)\.json[\w.-]*$/,
    why: "a copy, for monitoring, of what the warehouse has; the next run writes it",
  },
  {
    path: /^data\/vaulthouse\.duckdb$/,
    kinds: ["write"],
    why: "a checkpoint: what is committed was written to the log and flushed, and stays there for the next command",
  },
  {
    path: /^data\/vaulthouse\.duckdb\.wal$/,
    kinds: ["write"],
    why: "the mark of that checkpoint; where the write of a commit fails, the command does not end with 0",
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

/** Those of the refused effects without which something may be missing that the command says it has done. */
export const missed = (refused: ReadonlyArray<Recorded>): ReadonlyArray<string> => [
  ...new Set(
    refused
      .filter(
        ({ path, kind }) =>
          !harmless.some((each) => each.path.test(path) && (each.kinds?.includes(kind) ?? true)),
      )
      .map(({ kind, path, path2 }) => `${kind} ${path}${path2 === "" ? "" : ` to ${path2}`}`),
  ),
]
