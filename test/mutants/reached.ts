// Which tests reach which places of the source. All run once in copies whose statements write down that they were reached.
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  writeFileSync,
} from "node:fs"
import { join } from "node:path"
import { type Limits, makeCopy, runUnchanged, type Unchanged } from "./copies.ts"
import { type Mutation, mutationsOf, type Within } from "./mutations.ts"

const fileNameOf = (test: string): string => test.replaceAll("/", "!")

/** By the place where they begin: a statement that returns what a function without statements returns begins at another. */
const placeOf = (file: string, { start }: Within): string => `${file} ${start}`

/** Runs in each process, those that tests start too; a set for each test file, so that a loop writes once. */
const writerOf = (folder: string): string =>
  `
globalThis.reached ??= (place) => {
  const places = (globalThis.reachedPlaces ??= new Set());
  if (places.has(place)) return;
  places.add(place);
  const { appendFileSync, readFileSync } = process.getBuiltinModule("node:fs");
  appendFileSync("${folder}/" + readFileSync("${folder}/current", "utf8"), place + "\\n");
};`.replaceAll(/\s+/g, " ")

/** The source, which writes down what is reached; on the same lines. */
export const observed = (file: string, text: string, folder: string): string => {
  const places = new Map(
    mutationsOf(text)
      .filter(({ within }) => !within.isLoading)
      .map(({ within }) => [placeOf(file, within), within]),
  )
  const insertions = [...places].flatMap(([place, { start, end }]) => {
    const call = `globalThis.reached?.(${JSON.stringify(place)})`
    return end === undefined
      ? [{ at: start, inserted: `${call};` }]
      : [
          { at: start, inserted: `(${call}, ` },
          { at: end, inserted: ")" },
        ]
  })
  let result = text
  for (const { at, inserted } of insertions.toSorted((one, other) => other.at - one.at))
    result = result.slice(0, at) + inserted + result.slice(at)
  return `${writerOf(folder)}${result}`
}

const beforeEachFile = (folder: string): string => `
import { writeFileSync as writeCurrent } from "node:fs"
import { relative as relativeToCopy } from "node:path"
import { expect as current } from "vitest"
globalThis.reachedPlaces = new Set()
writeCurrent("${folder}/current", relativeToCopy(process.cwd(), current.getState().testPath).replaceAll("/", "!"))
`

export interface Reached {
  /** In the order in which they are worth trying: the quickest first. Those that are red without a change are none. */
  readonly by: (file: string, mutation: Mutation) => ReadonlyArray<Unchanged>
  readonly red: ReadonlyArray<string>
}

/** Nothing if it was cut. `kept`: a folder, in which it is kept for the next call. */
export const reachedBy = async (
  sources: ReadonlyArray<string>,
  tests: ReadonlyArray<string>,
  kept: string,
  workers: number,
  limits: Limits,
): Promise<Reached | undefined> => {
  const ended = join(kept, "tests.json")
  if (!existsSync(ended)) {
    const share = async (part: number): Promise<ReadonlyArray<Unchanged> | undefined> => {
      const copy = makeCopy(`observed-${part}`)
      const folder = join(kept, String(part))
      mkdirSync(folder, { recursive: true })
      writeFileSync(join(folder, "current"), "none")
      for (const file of sources) {
        const path = join(copy, file)
        writeFileSync(path, observed(file, readFileSync(path, "utf8"), folder))
      }
      appendFileSync(join(copy, "test/support/randomness.ts"), beforeEachFile(folder))
      const own = tests.filter((_, at) => at % workers === part)
      return runUnchanged(copy, own, limits)
    }
    const found = await Promise.all(Array.from({ length: workers }, (_, part) => share(part)))
    if (found.some((each) => each === undefined)) return undefined
    writeFileSync(ended, JSON.stringify(found.flat()))
  }
  const every = (JSON.parse(readFileSync(ended, "utf8")) as ReadonlyArray<Unchanged>).toSorted(
    (one, other) => one.seconds - other.seconds,
  )
  const places = new Map<string, Set<string>>()
  for (const part of readdirSync(kept, { withFileTypes: true }).filter((each) =>
    each.isDirectory(),
  )) {
    for (const { test } of every) {
      const path = join(kept, part.name, fileNameOf(test))
      if (!existsSync(path)) continue
      const reached = places.get(test) ?? new Set()
      for (const place of readFileSync(path, "utf8").split("\n")) reached.add(place)
      places.set(test, reached)
    }
  }
  const ofFile = (test: string, file: string): boolean =>
    [...(places.get(test) ?? [])].some((place) => place.startsWith(`${file} `))
  const green = every.filter(({ isGreen }) => isGreen)
  return {
    by: (file, { within }) => {
      if (!within.isLoading)
        return green.filter(({ test }) => places.get(test)?.has(placeOf(file, within)) === true)
      // What runs when a module is loaded is reached by whoever reaches one of its functions. A module of declarations has
      // none, and may be used by any.
      const users = green.filter(({ test }) => ofFile(test, file))
      return users.length > 0 ? users : green
    },
    red: every.filter(({ isGreen }) => !isGreen).map(({ test }) => test),
  }
}
