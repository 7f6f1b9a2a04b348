// Which files are changed, and which tests must notice.
import { globSync, readFileSync } from "node:fs"
import { basename, dirname, join, relative } from "node:path"

/** Data can be lost, doubled or falsified here. What only a lake or PostgreSQL reaches is tried by its own targets. */
const ROOMS = ["src/extract", "src/load", "src/pipelines"]
const ELSEWHERE =
  /\/(lake|workers|postgres|readers)\/|sharedBudget|\/(ObjectStore|s3)|\/marts\/.*(dictionary|Macros)/i

export const sourceFiles = (root: string): ReadonlyArray<string> =>
  ROOMS.flatMap((room) => globSync(`${room}/**/*.ts`, { cwd: root }))
    .filter((file) => !ELSEWHERE.test(file))
    .toSorted()

const importsOf = (root: string, file: string): ReadonlyArray<string> =>
  [...readFileSync(join(root, file), "utf8").matchAll(/(?:from |import\()"(\.[^"]+)"/g)].map(
    ([, path = ""]) => relative(root, join(root, dirname(file), path)),
  )

export interface Targets {
  /** The tests of the file's name, of its folder, and those that import it. */
  readonly near: (file: string) => ReadonlyArray<string>
  /** All tests that reach it by imports, but those of `near`. */
  readonly far: (file: string) => ReadonlyArray<string>
}

export const targetsIn = (root: string): Targets => {
  const tests = globSync("test/{extract,load,pipelines,archive,domain}/**/*.test.ts", { cwd: root })
  const imports = new Map<string, ReadonlyArray<string>>()
  const reached = (file: string, seen = new Set<string>()): Set<string> => {
    if (seen.has(file)) return seen
    seen.add(file)
    if (!file.endsWith(".ts")) return seen
    const direct = imports.get(file) ?? importsOf(root, file)
    imports.set(file, direct)
    for (const each of direct) reached(each, seen)
    return seen
  }
  const reach = new Map(tests.map((test) => [test, reached(test)]))
  const near = (file: string): ReadonlyArray<string> => {
    const folder = dirname(file).replace(/^src/, "test")
    const name = basename(file, ".ts")
    const isOfName = (test: string): boolean => basename(test, ".test.ts") === name
    const chosen = tests.filter(
      (test) =>
        dirname(test) === folder || isOfName(test) || imports.get(test)?.includes(file) === true,
    )
    // Those of its name first: most mutants end there.
    return chosen.toSorted((one, other) => Number(isOfName(other)) - Number(isOfName(one)))
  }
  return {
    near,
    far: (file) => {
      const already = new Set(near(file))
      return tests.filter((test) => reach.get(test)?.has(file) === true && !already.has(test))
    },
  }
}
