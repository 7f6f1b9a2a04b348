// Changes one place of the source at a time and looks whether a test notices:
// node test/mutants/main.ts [--choose N] [--seed N] [--since REF] [--only FILE] [--minutes N]
// [--workers N] [--near-only]
import { spawn, spawnSync } from "node:child_process"
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { parseArgs } from "node:util"
import { writePage } from "../crash/figures.ts"
import { type MutantFigures, mutantsFile } from "../crash/figures/fuzz.ts"
import { judgementOf } from "./judged.ts"
import { type Mutation, mutated, mutationsOf } from "./mutations.ts"
import { sourceFiles, targetsIn } from "./targets.ts"

const root = join(import.meta.dirname, "../..")
const { values } = parseArgs({
  options: {
    choose: { type: "string", default: "200" },
    seed: { type: "string", default: "1" },
    since: { type: "string" },
    only: { type: "string" },
    minutes: { type: "string", default: "600" },
    "near-only": { type: "boolean", default: false },
    workers: { type: "string", default: "2" },
  },
})

export interface Mutant {
  readonly file: string
  readonly mutation: Mutation
}

type Outcome = "noticed" | "hung" | "survived" | "judged"

const print = (line: string): void => {
  process.stdout.write(`${line}\n`)
}

const git = (...args: ReadonlyArray<string>): string =>
  spawnSync("git", args, { cwd: root, encoding: "utf8" }).stdout

/** The lines of a file that changed since a commit, or all. */
const isTouched = (file: string): ((line: number) => boolean) => {
  if (values.since === undefined) return () => true
  const lines = new Set<number>()
  for (const [, from = "0", count = "1"] of git("diff", "-U0", values.since, "--", file).matchAll(
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

const all: ReadonlyArray<Mutant> = sourceFiles(root)
  .filter((file) => values.only === undefined || file.includes(values.only))
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
  .slice(0, Number(values.choose))
  .map(({ mutant }) => mutant)

const targets = targetsIn(root)
const home = mkdtempSync(join(tmpdir(), "vaulthouse-mutants-"))

/** A copy of the files that git tracks, whose source a worker may change. */
const makeCopy = (name: string): string => {
  const copy = join(home, name)
  for (const file of git("ls-files").split("\n").filter(Boolean)) {
    mkdirSync(join(copy, file, ".."), { recursive: true })
    cpSync(join(root, file), join(copy, file))
  }
  mkdirSync(join(copy, "node_modules"), { recursive: true })
  rmSync(join(copy, "node_modules"), { recursive: true })
  symlinkSync(join(root, "node_modules"), join(copy, "node_modules"))
  return copy
}

interface Ended {
  readonly code: number | null
  readonly isHung: boolean
}

const runTests = async (
  copy: string,
  tests: ReadonlyArray<string>,
  limitSeconds: number,
): Promise<Ended> => {
  const child = spawn("vitest", ["run", "--maxWorkers=1", "--bail=1", "--reporter=dot", ...tests], {
    cwd: copy,
    stdio: "ignore",
    detached: true,
    env: { ...process.env, TEST_SEED: "1" },
  })
  let isHung = false
  const timer = setTimeout(() => {
    isHung = true
    if (child.pid !== undefined) process.kill(-child.pid, "SIGKILL")
  }, limitSeconds * 1000)
  const code = await new Promise<number | null>((resolve) => child.once("close", resolve))
  clearTimeout(timer)
  return { code, isHung }
}

/** Many times what the tests take: a change that makes a loop endless is noticed by that. */
const LIMIT_SECONDS = { near: 240, far: 1800 }

const outcomeOf = async (
  copy: string,
  { file, mutation }: Mutant,
  distance: keyof typeof LIMIT_SECONDS,
): Promise<Outcome> => {
  const path = join(copy, file)
  const text = readFileSync(path, "utf8")
  if (judgementOf(file, text, mutation) !== undefined) return "judged"
  const tests = targets[distance](file)
  if (tests.length === 0) return "survived"
  writeFileSync(path, mutated(text, mutation))
  try {
    const { code, isHung } = await runTests(copy, tests, LIMIT_SECONDS[distance])
    return isHung ? "hung" : code === 0 ? "survived" : "noticed"
  } finally {
    writeFileSync(path, text)
  }
}

const shown = ({ file, mutation }: Mutant): string => {
  const text = readFileSync(join(root, file), "utf8")
  const before = text.slice(mutation.start, mutation.end).replaceAll(/\s+/g, " ").slice(0, 60)
  return `${file}:${mutation.line}: ${before} → ${mutation.replacement.replaceAll(/\s+/g, " ").slice(0, 60) || "(left out)"}`
}

const until = Date.now() + Number(values.minutes) * 60_000
const copies = Array.from({ length: Number(values.workers) }, (_, at) => makeCopy(`copy-${at}`))

/** Tries each of them; returns those that were tried, with what became of them. */
const tryAll = async (
  mutants: ReadonlyArray<Mutant>,
  distance: keyof typeof LIMIT_SECONDS,
): Promise<ReadonlyMap<Mutant, Outcome>> => {
  const outcomes = new Map<Mutant, Outcome>()
  const queue = [...mutants]
  const work = async (copy: string): Promise<void> => {
    for (let mutant = queue.shift(); mutant !== undefined; mutant = queue.shift()) {
      if (Date.now() > until) return
      const began = Date.now()
      const outcome = await outcomeOf(copy, mutant, distance)
      outcomes.set(mutant, outcome)
      const seconds = ((Date.now() - began) / 1000).toFixed(0)
      print(`${distance} ${outcome.padEnd(8)} ${seconds.padStart(4)} s  ${shown(mutant)}`)
    }
  }
  await Promise.all(copies.map(work))
  return outcomes
}

print(
  `${all.length} mutations in ${sourceFiles(root).length} files, of which ${chosen.length} are tried, seed ${values.seed}`,
)
try {
  const outcomes = new Map(await tryAll(chosen, "near"))
  const escaped = chosen.filter((mutant) => outcomes.get(mutant) === "survived")
  // Those that the tests nearby let pass, by all tests that reach the file: minutes each.
  if (!values["near-only"]) {
    for (const [mutant, outcome] of await tryAll(escaped, "far")) outcomes.set(mutant, outcome)
  }
  const count = (outcome: Outcome): number =>
    [...outcomes.values()].filter((each) => each === outcome).length
  print(
    `${outcomes.size} tried: ${count("noticed") + count("hung")} noticed (${count("hung")} of them by not ending), ` +
      `${count("judged")} that need not be (test/mutants/judged.ts), ${count("survived")} not noticed`,
  )
  for (const [mutant, outcome] of outcomes) {
    if (outcome === "survived") print(`not noticed: ${shown(mutant)}`)
  }
  // Of all of the source, whichever places were chosen: a part of it is nothing to go by.
  if (values.since === undefined && values.only === undefined && !values["near-only"]) {
    const survivors = [...outcomes].filter(([, each]) => each === "survived")
    const figures: MutantFigures = {
      commit: git("rev-parse", "--short", "HEAD").trim(),
      date: new Date().toISOString().slice(0, 10),
      seed: values.seed,
      counts: {
        tried: outcomes.size,
        noticed: count("noticed") + count("hung"),
        judged: count("judged"),
        "not noticed": survivors.length,
      },
      survivors: survivors.map(([mutant]) => shown(mutant)),
    }
    writeFileSync(mutantsFile, `${JSON.stringify(figures, null, 2)}\n`)
    writePage()
  }
  process.exitCode = count("survived") > 0 ? 1 : 0
} finally {
  rmSync(home, { recursive: true, force: true })
}
