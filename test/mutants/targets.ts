// Which files are changed, and which tests must notice.
import { globSync } from "node:fs"
import { basename, dirname } from "node:path"
import { importsOf } from "./imports.ts"

/** Data can be lost, doubled or falsified here. What only a lake or PostgreSQL reaches is tried by its own targets. */
const ROOMS = ["src/extract", "src/load", "src/pipelines"]
const ELSEWHERE =
  /\/(lake|workers|postgres|readers)\/|sharedBudget|\/(ObjectStore|s3|move(Warehouse)?\.ts)|\/marts\/.*(dictionary|Macros)/i

export const sourceFiles = (root: string): ReadonlyArray<string> =>
  ROOMS.flatMap((room) => globSync(`${room}/**/*.ts`, { cwd: root }))
    .filter((file) => !ELSEWHERE.test(file))
    .toSorted()

export interface Targets {
  /** The tests of the file's name, and those that import it: most changes are noticed by them. At most eight. */
  readonly own: (file: string) => ReadonlyArray<string>
  /** With those, at most eight: tests of its folder, and those that import the few files that use it. */
  readonly near: (file: string) => ReadonlyArray<string>
}

const NEAREST = 8
/** A file that more files than these import is no part of one of them. */
const FEW = 3

export const everyTest = (root: string): ReadonlyArray<string> =>
  globSync("test/**/*.test.ts", { cwd: root })
    .filter((test) => !/^test\/(attack|browser|lake|postgres|month)\//.test(test))
    .toSorted()

export const targetsIn = (root: string): Targets => {
  const every = everyTest(root)
  const imports = new Map<string, ReadonlyArray<string>>()
  const follow = (file: string): void => {
    if (imports.has(file)) return
    const { still, lazy } = file.endsWith(".ts") ? importsOf(root, file) : { still: [], lazy: [] }
    const direct = [...still, ...lazy]
    imports.set(file, direct)
    for (const each of direct) follow(each)
  }
  for (const test of every) follow(test)
  const importers = new Map<string, Array<string>>()
  for (const [file, direct] of imports) {
    for (const each of file.startsWith("src/") ? direct : []) {
      importers.set(each, [...(importers.get(each) ?? []), file])
    }
  }
  const isOfName = (test: string, file: string): boolean =>
    basename(test, ".test.ts") === basename(file, ".ts")
  const of = (file: string): ReadonlyArray<string> =>
    every.filter((test) => isOfName(test, file) || imports.get(test)?.includes(file) === true)
  const users = (file: string): ReadonlyArray<string> => {
    const found = importers.get(file) ?? []
    return found.length > FEW ? [] : found
  }
  const own = (file: string): ReadonlyArray<string> =>
    of(file)
      .toSorted((one, other) => Number(isOfName(other, file)) - Number(isOfName(one, file)))
      .slice(0, NEAREST)
  const near = (file: string): ReadonlyArray<string> => {
    const folder = dirname(file).replace(/^src/, "test")
    const direct = users(file)
    const already = own(file)
    const nearest = new Set([
      ...already,
      ...every.filter((test) => dirname(test) === folder),
      ...[...direct, ...direct.flatMap(users)].flatMap(of),
    ])
    return [...nearest].slice(already.length, NEAREST)
  }
  return { own, near }
}
