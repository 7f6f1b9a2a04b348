// Copies of the checkout, whose source may be changed, and runs of tests in them.
import { spawn, spawnSync } from "node:child_process"
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
} from "node:fs"
import { tmpdir } from "node:os"
import { join, relative } from "node:path"

export const root = join(import.meta.dirname, "../..")

/** What it prints; throws where git fails. */
export const git = (...args: ReadonlyArray<string>): string => {
  const { status, stdout, stderr } = spawnSync("git", args, {
    cwd: root,
    encoding: "utf8",
    maxBuffer: 1 << 28,
  })
  if (status !== 0) throw new Error(`git ${args.join(" ")}: ${stderr.trim()}`)
  return stdout.trim()
}

/** The files of the checkout, those that git does not know yet too. */
export const checkedOut = (...paths: ReadonlyArray<string>): ReadonlyArray<string> =>
  git("ls-files", "--cached", "--others", "--exclude-standard", "--", ...paths)
    .split("\n")
    .filter((file) => file !== "" && existsSync(join(root, file)))

const home = mkdtempSync(join(tmpdir(), "vaulthouse-mutants-"))
// Of the tests, which don't remove their folders when they are ended. Memory, as without it.
const scratch = mkdtempSync(
  join(existsSync("/dev/shm") ? "/dev/shm" : tmpdir(), "vaulthouse-mutants-tests-"),
)
const running = new Set<number>()
const end = (group: number): void => {
  try {
    process.kill(-group, "SIGKILL")
  } catch {
    // It has ended by itself.
  }
}
process.on("exit", () => {
  for (const group of running) end(group)
  for (const folder of [home, scratch]) rmSync(folder, { recursive: true, force: true })
})
for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => process.exit(130))

export const makeCopy = (name: string): string => {
  const copy = join(home, name)
  for (const file of checkedOut()) {
    mkdirSync(join(copy, file, ".."), { recursive: true })
    cpSync(join(root, file), join(copy, file))
  }
  // Its own folder, since caches lie there: what was compiled of a change, and which test failed by it.
  mkdirSync(join(copy, "node_modules"))
  for (const each of readdirSync(join(root, "node_modules"))) {
    if (each.startsWith(".") && each !== ".bin") continue
    symlinkSync(join(root, "node_modules", each), join(copy, "node_modules", each))
  }
  return copy
}

type Ended = "passed" | "failed" | "hung" | "cut"

export interface Limits {
  readonly seconds: number
  /** When it is cut, whatever it would find: milliseconds since 1970. */
  readonly until: number
}

const runVitest = async (
  copy: string,
  args: ReadonlyArray<string>,
  { seconds, until }: Limits,
): Promise<Ended> => {
  const { CI_TEST_RESULTS: _results, ...others } = process.env
  const child = spawn("vitest", ["run", "--maxWorkers=1", ...args], {
    cwd: copy,
    stdio: "ignore",
    // A group of its own, which can be ended with all processes that tests start.
    detached: true,
    env: { ...others, TEST_SEED: "1", TEST_FOLDER: scratch },
  })
  const group = child.pid ?? 0
  running.add(group)
  let stopped: "hung" | "cut" | undefined
  const stop = (why: "hung" | "cut"): void => {
    stopped = why
    end(group)
  }
  const millis = Math.max(0, until - Date.now())
  const timer =
    seconds * 1000 < millis
      ? setTimeout(() => stop("hung"), seconds * 1000)
      : setTimeout(() => stop("cut"), Math.min(millis, 2 ** 31 - 1))
  const code = await new Promise<number | null>((resolve) => child.once("close", resolve))
  clearTimeout(timer)
  // What tests left running.
  end(group)
  running.delete(group)
  return stopped ?? (code === 0 ? "passed" : "failed")
}

/** Until the first test that fails. */
export const runTests = (
  copy: string,
  tests: ReadonlyArray<string>,
  limits: Limits,
): Promise<Ended> => runVitest(copy, ["--bail=1", "--reporter=dot", ...tests], limits)

/** How a test file ends where nothing is changed. */
export interface Unchanged {
  readonly test: string
  readonly isGreen: boolean
  readonly seconds: number
}

interface Report {
  readonly testResults: ReadonlyArray<{
    readonly name: string
    readonly status: string
    readonly startTime: number
    readonly endTime: number
  }>
}

/** By test file: what vitest's JSON report of a run in `folder` says of it. */
const readReport = (file: string, folder: string): ReadonlyArray<Unchanged> =>
  (JSON.parse(readFileSync(file, "utf8")) as Report).testResults.map((each) => ({
    test: relative(folder, each.name),
    isGreen: each.status !== "failed",
    seconds: (each.endTime - each.startTime) / 1000,
  }))

/** What an earlier run of the same source has found: `--results FILE`, vitest's JSON report. */
export const unchangedIn = (results: string): ReadonlyArray<Unchanged> => readReport(results, root)

/** Nothing if it was cut. Where it can't be said which file failed, all did. */
export const runUnchanged = async (
  copy: string,
  tests: ReadonlyArray<string>,
  limits: Limits,
): Promise<ReadonlyArray<Unchanged> | undefined> => {
  const output = join(copy, "unchanged.json")
  rmSync(output, { force: true })
  const began = Date.now()
  const ended = await runVitest(
    copy,
    ["--reporter=json", `--outputFile=${output}`, ...tests],
    limits,
  )
  if (ended === "cut") return undefined
  const all = (Date.now() - began) / 1000
  const report = existsSync(output) ? readReport(output, copy) : []
  const found = new Map(report.map((each) => [each.test, each]))
  const isUnclear = ended !== "passed" && report.every(({ isGreen }) => isGreen)
  // The start, and the modules: a share for each.
  const spent = report.reduce((sum, { seconds }) => sum + seconds, 0)
  const share = Math.max(0, all - spent) / tests.length
  return tests.map((test) => {
    const { isGreen = false, seconds = 0 } = found.get(test) ?? {}
    return { test, isGreen: isGreen && !isUnclear, seconds: seconds + share }
  })
}
