// What was found, kept so that a call goes on where the one before ended, as long as source and tests are the same.
import { createHash } from "node:crypto"
import { appendFileSync, existsSync, mkdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { checkedOut, root, type Unchanged } from "./copies.ts"

export type Distance = "own" | "near" | "far"
/** `survived`: the tests of that distance passed. */
export type Outcome = "noticed" | "hung" | "survived"

interface Tried {
  /** Which change: file, place and replacement. */
  readonly change: string
  readonly distance: Distance
  readonly outcome: Outcome
}

const decisive = ["src", "warehouse", "simulator", "test", "vitest.config.ts", "package-lock.json"]
const isDecisive = (file: string): boolean =>
  !/^test\/(mutants\/(judged|figures)|crash\/figures|faults\/figures)|\.md$/.test(file)

const hash = createHash("sha1")
for (const file of checkedOut(...decisive).filter(isDecisive)) {
  hash.update(`${file}\n`).update(readFileSync(join(root, file)))
}
const folder = join(root, "node_modules/.mutants", hash.digest("hex").slice(0, 12))
mkdirSync(folder, { recursive: true })

/** Which tests reach which place. */
export const observations = join(folder, "reached")

const linesOf = (name: string): ReadonlyArray<unknown> => {
  const file = join(folder, name)
  return existsSync(file)
    ? readFileSync(file, "utf8")
        .split("\n")
        .filter((line) => line !== "")
        .map((line) => JSON.parse(line) as unknown)
    : []
}
const keep = (name: string, line: unknown): void =>
  appendFileSync(join(folder, name), `${JSON.stringify(line)}\n`)

const keyOf = ({ change, distance }: Omit<Tried, "outcome">): string => `${distance} ${change}`
const tried = new Map(
  (linesOf("tried.ndjson") as ReadonlyArray<Tried>).map((each) => [keyOf(each), each.outcome]),
)

export const keptOutcome = (change: string, distance: Distance): Outcome | undefined =>
  tried.get(keyOf({ change, distance }))

export const keepOutcome = (found: Tried): void => {
  tried.set(keyOf(found), found.outcome)
  keep("tried.ndjson", found)
}

export const keptUnchanged = (): ReadonlyArray<Unchanged> =>
  linesOf("unchanged.ndjson") as ReadonlyArray<Unchanged>

export const keepUnchanged = (found: Unchanged): void => keep("unchanged.ndjson", found)

/** Of all calls so far. */
export const minutesSpent = (): number =>
  (linesOf("minutes.ndjson") as ReadonlyArray<number>).reduce((sum, each) => sum + each, 0)

export const keepMinutes = (minutes: number): void => keep("minutes.ndjson", minutes)
