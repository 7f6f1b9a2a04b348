// Changes one place of the source at a time and looks whether a test notices; goes on where the call before ended.
// node test/mutants/main.ts [change] [--choose N] [--seed N] [--since REF] [--only FILE] [--minutes N] [--workers N]
// [--least PERCENT] [--allow N] [--results FILE]
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { parseArgs } from "node:util"
import { baseOfChange } from "./change.ts"
import {
  git,
  type Limits,
  makeCopy,
  root,
  runTests,
  runUnchanged,
  type Unchanged,
  unchangedIn,
} from "./copies.ts"
import { writeFigures } from "./figures.ts"
import { judgementOf } from "./judged.ts"
import {
  type Distance,
  keepMinutes,
  keepOutcome,
  keepUnchanged,
  keptOutcome,
  keptUnchanged,
  minutesSpent,
  observations,
  type Outcome,
} from "./kept.ts"
import { type Mutation, mutated, mutationsOf } from "./mutations.ts"
import { reachedBy } from "./reached.ts"
import { everyTest, sourceFiles, targetsIn } from "./targets.ts"

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    choose: { type: "string" },
    seed: { type: "string", default: "1" },
    since: { type: "string" },
    only: { type: "string" },
    minutes: { type: "string" },
    workers: { type: "string" },
    least: { type: "string" },
    allow: { type: "string" },
    results: { type: "string" },
  },
})
/** What .ci/run tries: lines that the change touched, by the tests beside them, for some minutes. */
const isOfChange = positionals.includes("change")
const preset = isOfChange
  ? { choose: "10", minutes: "2", workers: "1", least: "70", allow: "2" }
  : { choose: "200", minutes: "600", workers: "2", least: "90", allow: "0" }
const given = { ...preset, ...values }
const began = Date.now()
const until = began + Number(given.minutes) * 60_000
const minutes = (): number => (Date.now() - began) / 60_000
// Of a call that is stopped too.
process.on("exit", () => keepMinutes(minutes()))

interface Mutant {
  readonly file: string
  readonly mutation: Mutation
}

const print = (line: string): void => {
  process.stdout.write(`${line}\n`)
}

const since = values.since ?? (isOfChange ? baseOfChange(git) : undefined)
if (isOfChange && since === undefined) {
  print("One commit alone is no change: nothing is tried.")
  process.exit(0)
}

/** The lines of a file that changed since a commit, or all. */
const isTouched = (file: string): ((line: number) => boolean) => {
  if (since === undefined) return () => true
  const lines = new Set<number>()
  for (const [, from = "0", count = "1"] of git("diff", "-U0", since, "--", file).matchAll(
    /^@@ -\S+ \+(\d+)(?:,(\d+))? @@/gm,
  )) {
    for (let at = 0; at < Number(count); at += 1) lines.add(Number(from) + at)
  }
  return (line) => lines.has(line)
}

const numbers = (seed: number): (() => number) => {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

const targets = targetsIn(root)
const hasTests = (file: string): boolean => targets.own(file).length + targets.near(file).length > 0

const all: ReadonlyArray<Mutant> = sourceFiles(root)
  .filter((file) => values.only === undefined || file.includes(values.only))
  .filter(hasTests)
  .flatMap((file) => {
    const touched = isTouched(file)
    return mutationsOf(readFileSync(join(root, file), "utf8"))
      .filter(({ line }) => touched(line))
      .map((mutation) => ({ file, mutation }))
  })
const random = numbers(Number(values.seed))
const chosen = all
  .map((mutant) => ({ mutant, order: random() }))
  .toSorted((one, other) => one.order - other.order)
  .slice(0, Number(given.choose))
  .map(({ mutant }) => mutant)

if (chosen.length === 0) {
  const where = since === undefined ? "" : `, on the lines that changed since ${since.slice(0, 12)}`
  print(
    `Nothing to change in what src/extract, src/load and src/pipelines have tests near${where}: nothing is tried.`,
  )
  process.exit(0)
}

const shown = ({ file, mutation }: Mutant) => {
  const text = readFileSync(join(root, file), "utf8")
  const short = (part: string): string => part.replaceAll(/\s+/g, " ").slice(0, 60)
  return {
    file,
    line: mutation.line,
    text: short(text.slice(mutation.start, mutation.end)),
    replacement: short(mutation.replacement),
  }
}

const textOf = (mutant: Mutant): string => {
  const { file, line, text, replacement } = shown(mutant)
  return `${file}:${line}: ${text} → ${replacement || "(left out)"}`
}

/** Of a whole run: which tests reach which place, found by running all of them once. */
const reached = isOfChange
  ? undefined
  : await reachedBy(sourceFiles(root), everyTest(root), observations, Number(given.workers), {
      seconds: 7200,
      until,
    })
if (!isOfChange && reached === undefined) {
  print("There was no time to run the tests once, so nothing is tried; --minutes 60 gives more.")
  process.exit(1)
}

/** A test that takes a while may take much longer beside others; the rest are over soon. */
const TIMES = 5
const LEAST_SECONDS = 60
const UNCHANGED_SECONDS = 3600

/** Within the minutes, so that CI can count on them. */
const limits = (seconds: number): Limits => ({ seconds, until })

/** How tests end where nothing is changed, as an earlier call or a report found. */
const foundUnchanged = given.results === undefined ? keptUnchanged() : unchangedIn(given.results)
const unchanged = new Map<string, Promise<Unchanged | undefined>>(
  foundUnchanged.map((each) => [each.test, Promise.resolve(each)]),
)

/** How the tests end where nothing is changed; each runs once for all sets that it is in. Nothing if they were cut. */
const withoutChange = async (
  copy: string,
  tests: ReadonlyArray<string>,
): Promise<ReadonlyArray<Unchanged> | undefined> => {
  const missing = tests.filter((test) => !unchanged.has(test))
  if (missing.length > 0) {
    const run = runUnchanged(copy, missing, limits(UNCHANGED_SECONDS)).then((found) => {
      for (const each of found ?? []) keepUnchanged(each)
      for (const { test, isGreen } of found ?? []) {
        if (!isGreen) print(`red without a change, nothing is tried by it: ${test}`)
      }
      return new Map(found?.map((each) => [each.test, each]))
    })
    for (const test of missing)
      unchanged.set(
        test,
        run.then((found) => found.get(test)),
      )
  }
  const found: Array<Unchanged> = []
  for (const test of tests) {
    const known = await unchanged.get(test)
    if (known === undefined) return undefined
    found.push(known)
  }
  return found
}

/** How long those tests of a place take together that are neither its own nor near it, but reach it. */
const FAR_SECONDS = 120

/** The same of those by name and imports, in CI. */
const CHANGE_SECONDS = 20

/** Those that fit together into so many seconds, the first ones first. */
const firstOf = (seconds: number, tests: ReadonlyArray<Unchanged>): ReadonlyArray<Unchanged> => {
  let left = seconds
  return tests.filter((each) => {
    if (each.seconds > left) return false
    left -= each.seconds
    return true
  })
}

/** Of a change, the tests by their names and imports; of a whole run, those among them that reach the place, then others. */
const testsOf = async (
  copy: string,
  { file, mutation }: Mutant,
  distance: Distance,
): Promise<ReadonlyArray<Unchanged> | undefined> => {
  const [own, near] = [targets.own(file), targets.near(file)]
  const named = distance === "own" ? own : near
  if (reached === undefined) {
    if (distance === "far") return []
    // A report lacks the longest tests, which would take the minutes of all places.
    const short = given.results === undefined ? named : named.filter((test) => unchanged.has(test))
    if (short.length === 0 && named.length > 0) return undefined
    const known = await withoutChange(copy, short)
    const [quickest, ...others] = known?.toSorted((one, other) => one.seconds - other.seconds) ?? []
    if (known === undefined || quickest === undefined) return known
    return [quickest, ...firstOf(CHANGE_SECONDS, others)]
  }
  const reaching = reached.by(file, mutation)
  return distance === "far"
    ? firstOf(
        FAR_SECONDS,
        reaching.filter(({ test }) => !own.includes(test) && !near.includes(test)),
      )
    : reaching.filter(({ test }) => named.includes(test))
}

const distances: ReadonlyArray<Distance> = ["own", "near", "far"]

type Attempt = Outcome | "left out" | "cut"

const attempt = async (
  copy: string,
  { file, mutation }: Mutant,
  known: ReadonlyArray<Unchanged>,
): Promise<Attempt> => {
  if (known.some(({ isGreen }) => !isGreen)) return "left out"
  const seconds = known.reduce((sum, each) => sum + each.seconds, 0)
  const path = join(copy, file)
  const text = readFileSync(path, "utf8")
  writeFileSync(path, mutated(text, mutation))
  try {
    const tests = known.map(({ test }) => test)
    const ended = await runTests(copy, tests, limits(Math.max(LEAST_SECONDS, TIMES * seconds)))
    return ended === "passed" ? "survived" : ended === "failed" ? "noticed" : ended
  } finally {
    writeFileSync(path, text)
  }
}

const changeOf = ({ file, mutation: { start, end, replacement } }: Mutant): string =>
  `${file} ${start} ${end} ${replacement}`

/** By its own tests, and where they let it pass by others near it, then in a whole run by others that reach it. */
const tryOne = async (copy: string, mutant: Mutant): Promise<Attempt | "judged"> => {
  const text = readFileSync(join(root, mutant.file), "utf8")
  if (judgementOf(mutant.file, text, mutant.mutation) !== undefined) return "judged"
  const change = changeOf(mutant)
  for (const distance of distances) {
    let outcome: Attempt | undefined = keptOutcome(change, distance)
    if (outcome === undefined) {
      const tests = await testsOf(copy, mutant, distance)
      if (tests === undefined) return "cut"
      if (tests.length === 0) continue
      const startedAt = Date.now()
      outcome = await attempt(copy, mutant, tests)
      if (outcome === "cut") return outcome
      const seconds = ((Date.now() - startedAt) / 1000).toFixed(0)
      print(
        `${distance.padEnd(4)} ${outcome.padEnd(8)} ${seconds.padStart(4)} s  ${textOf(mutant)}`,
      )
      if (outcome === "left out") return outcome
      keepOutcome({ change, distance, outcome })
    }
    if (outcome !== "survived") return outcome
  }
  return "survived"
}

print(
  `${all.length} mutations in ${new Set(all.map(({ file }) => file)).size} files, of which ${chosen.length} are tried, seed ${values.seed}`,
)
const outcomes = new Map<Mutant, Exclude<Attempt, "cut"> | "judged">()
const queue = [...chosen]
const work = async (name: string): Promise<void> => {
  const copy = makeCopy(name)
  for (let mutant = queue.shift(); mutant !== undefined; mutant = queue.shift()) {
    if (Date.now() > until) return
    const outcome = await tryOne(copy, mutant)
    if (outcome !== "cut") outcomes.set(mutant, outcome)
  }
}
await Promise.all(Array.from({ length: Number(given.workers) }, (_, at) => work(`copy-${at}`)))

const count = (outcome: string): number =>
  [...outcomes.values()].filter((each) => each === outcome).length
const survivors = chosen.filter((mutant) => outcomes.get(mutant) === "survived")
const leftOut = count("left out")
const tried = outcomes.size - leftOut
const noticed = count("noticed") + count("hung")
print(
  `${tried} tried: ${noticed} noticed (${count("hung")} of them by not ending), ` +
    `${count("judged")} that need not be (test/mutants/judged.ts), ${survivors.length} not noticed; ` +
    `${leftOut} left out, since tests beside them are red without a change, ${chosen.length - outcomes.size} not tried yet`,
)
for (const mutant of survivors) print(`not noticed: ${textOf(mutant)}`)

const isWhole = since === undefined && values.only === undefined
if (isWhole) {
  writeFigures({
    commit: git("rev-parse", "--short", "HEAD"),
    date: new Date().toISOString().slice(0, 10),
    minutes: Math.round(minutesSpent() + minutes()),
    seed: Number(values.seed),
    mutations: all.length,
    files: new Set(all.map(({ file }) => file)).size,
    chosen: chosen.length,
    tried,
    noticed: count("noticed"),
    hung: count("hung"),
    judged: count("judged"),
    survivors: survivors.map(shown),
    unreached: survivors.filter(({ file, mutation }) => reached?.by(file, mutation).length === 0)
      .length,
    red: reached?.red.toSorted() ?? [],
  })
}

const isEnough =
  survivors.length <= Number(given.allow) ||
  noticed >= (Number(given.least) / 100) * (noticed + survivors.length)
if (!isEnough) print(`FAILED: fewer than ${given.least} % of them were noticed`)
const isNothingTried = leftOut > 0 && tried === 0
process.exitCode = isEnough && !isNothingTried ? 0 : 1
