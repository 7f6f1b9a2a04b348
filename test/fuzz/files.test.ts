// Seeded changes of what a user or a disk may change: the configuration file, the command line, a segment of the archive and
// the manifest. Every command ends with a documented exit code and sentences, and none with a stack trace.
import { cpSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { commands } from "../../src/cli/commands/index.ts"
import { globalFlags } from "../../src/cli/parse/globalFlags.ts"
import { type Ended, vaulthouse } from "../cli/command.ts"
import { dailyRandomness, type Random } from "../support/randomness.ts"
import { content, loseTheWarehouse, replayed } from "../support/replays.ts"
import { sharedWarehouse } from "../support/sharedWarehouse.ts"
import { asAdmin, simulated } from "../support/simulated.ts"
import { temporaryFolder } from "../support/temporaryFolder.ts"
import { HANG_SECONDS } from "../support/until.ts"
import { runOnce } from "../support/warehouseRun.ts"
import { noteFigures } from "./figures.ts"
import { mutated } from "./mutations.ts"

const TIMES = Math.max(2, Math.ceil(Number(process.env["FUZZ"] ?? 500) / 40))
/** Each takes seconds. */
const DAMAGED = Math.ceil(TIMES / 2)

/** docs/cli.md, "Exit codes". */
const documented = [0, 1, 2, 3, 4, 5, 75, 130]

const expectWords = ({ code, stdout, stderr }: Ended, what: string): void => {
  const text = stdout + stderr
  expect(documented, `${what}\n${text}`).toContain(code)
  expect(text, what).not.toMatch(
    /\n\s+at .*\(?(file:|node:|\/).*:\d+|this is a bug|\[object Object\]|undefined/i,
  )
  if (code !== 0) expect(text.trim(), what).not.toBe("")
}

const run = (args: ReadonlyArray<string>, cwd: string) =>
  Effect.promise(() => vaulthouse(args, { cwd }))

/** Some bytes changed, lost or inserted. */
const damaged = (bytes: Buffer, random: Random): Buffer => {
  const at = Math.floor(random() * bytes.length)
  const length = 1 + Math.floor(random() * 64)
  const ways: ReadonlyArray<() => Buffer> = [
    () => bytes.subarray(0, at),
    () => Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + length)]),
    () => Buffer.concat([bytes.subarray(0, at), Buffer.alloc(length), bytes.subarray(at)]),
    () => Buffer.concat([bytes, bytes.subarray(at)]),
    () => {
      const changed = Buffer.from(bytes)
      changed[at] = (changed[at] ?? 0) ^ (1 << Math.floor(random() * 8))
      return changed
    },
  ]
  return ways[Math.floor(random() * ways.length)]?.() ?? bytes
}

const configuration = JSON.stringify({
  dataDir: "data",
  baseUrl: "http://127.0.0.1:9",
  requestTimeout: 30,
  pipelines: ["ratio_history", "pnl_history"],
  vaults: { include: ["0x".padEnd(42, "a")], exclude: [] },
  fields: { "allocation_history.value": "tvl_usd" },
  contracts: { allocation_history: "freeze" },
  publishedKeep: { copies: 2 },
  report: { file: "report.html", days: 7 },
  parquet: { marts: true },
})

describe("a changed configuration file", () => {
  it.live(`is accepted, or refused with a reason (${TIMES})`, () =>
    Effect.gen(function* () {
      const random = dailyRandomness("changed configuration")
      const folder = yield* temporaryFolder
      const codes = new Set<number | null>()
      for (let time = 0; time < TIMES; time += 1) {
        // One that is right, and one that is surely wrong.
        const text = ([configuration, "{"] as const)[time] ?? mutated(configuration, random)
        writeFileSync(join(folder, "vaulthouse.config.yaml"), text)
        const ended = yield* run(["config", "check"], folder)
        expectWords(ended, text.slice(0, 2000))
        codes.add(ended.code)
      }
      expect([...codes]).toEqual(expect.arrayContaining([0, 2]))
      noteFigures("configuration files", { tried: TIMES })
    }).pipe(Effect.scoped),
  )
})

const synced = sharedWarehouse((dataDir) =>
  Effect.gen(function* () {
    const { url } = yield* simulated({ vaults: 1, days: 1, now: "2026-06-01T03:00:00Z" })
    yield* runOnce(url, dataDir, {
      api: asAdmin,
      pipelines: ["tokenized_vaults", "ratio_history", "apy_history"],
      publish: { parquet: { marts: false } },
    })
  }),
)

/** They run until they are stopped. */
const ENDLESS = new Set(["schedule", "worker", "serve", "mcp", "simulate"])
const ending = commands.filter(({ name }) => !ENDLESS.has(name))

const values = [
  "- -- -1 1e9 $(ls) 0x1 --no- = --days= mart.vault_daily 2026-02-30 2026-06-01 ' NaN é csv json ratio_history",
]
  .flatMap((line) => line.split(" "))
  .concat("", "\u0000x", "select 1", "x".repeat(5000))

/** A command with flags that it has, each with a value or without one, and other words. */
const commandLine = (random: Random): ReadonlyArray<string> => {
  const choose = <T>(from: ReadonlyArray<T>): T => from[Math.floor(random() * from.length)] as T
  const { name, flags } = choose(ending)
  const flag = (): ReadonlyArray<string> => {
    const own = Object.entries({ ...globalFlags, ...flags })
    const [known, { type }] = choose(
      random() < 0.5 && Object.keys(flags).length > 0 ? Object.entries(flags) : own,
    )
    return [`--${known}`, ...(type === "boolean" && random() < 0.9 ? [] : [choose(values)])]
  }
  const others = Array.from({ length: Math.floor(random() * 3) }, () =>
    random() < 0.6 ? flag() : [choose(values)],
  )
  return [...(random() < 0.9 ? [name] : []), ...others.flat()]
}

describe("a changed command line", () => {
  it.live(
    `runs, or says what is wrong with it (${TIMES})`,
    () =>
      Effect.gen(function* () {
        const random = dailyRandomness("changed command line")
        const codes = new Set<number | null>()
        const [cwd, dataDir] = [yield* temporaryFolder, yield* synced]
        for (let time = 0; time < TIMES; time += 1) {
          const args = [["status"], ["--no-such-flag"]][time] ?? commandLine(random)
          const env = time % 2 === 0 ? { VAULTHOUSE_DATA_DIR: dataDir } : {}
          const ended = yield* Effect.promise(() => vaulthouse(args, { cwd, env }))
          expectWords(ended, JSON.stringify(args).slice(0, 500))
          codes.add(ended.code)
        }
        expect([...codes]).toEqual(expect.arrayContaining([0, 2]))
        noteFigures("command lines", { tried: TIMES })
      }).pipe(Effect.scoped),
    TIMES * HANG_SECONDS * 1000,
  )
})

const firstDifference = (one: Buffer, other: Buffer): string => {
  const at = one.findIndex((byte, place) => byte !== other[place])
  return at < 0 ? "the end" : `byte ${at}`
}

/** What `verify` is about; the other files are written again by the next run. */
const isArchive = (file: string): boolean => file.includes("/raw/")
const isVerified = (file: string): boolean => isArchive(file) || file.endsWith("/manifest.json")

/** Of each file that a manifest lists, what `verify` compares with the file. */
const contentsIn = (manifest: Buffer): unknown => {
  const { files } = JSON.parse(manifest.toString()) as {
    readonly files: ReadonlyArray<Readonly<Record<string, unknown>>>
  }
  return files.map(({ path, bytes, rows, sha256 }) => ({ path, bytes, rows, sha256 }))
}

describe("a damaged file", () => {
  const files = (dataDir: string): ReadonlyArray<string> => [
    ...readdirSync(join(dataDir, "raw")).map((file) => join(dataDir, "raw", file)),
    join(dataDir, "parquet/current/manifest.json"),
    join(dataDir, "published/current.json"),
    join(dataDir, "last-run.json"),
  ]

  it.live(
    `is reported, and ends no command without words (${DAMAGED})`,
    () =>
      Effect.gen(function* () {
        const random = dailyRandomness("damaged files")
        const dataDir = yield* synced
        const before = yield* content(dataDir)
        const counts = {
          "damaged files": DAMAGED,
          "noticed by verify": 0,
          "replayed to equal rows": 0,
          "replayed over the tables": 0,
        }
        let noticedSegments = 0
        for (let time = 0; time < DAMAGED; time += 1) {
          const all = files(dataDir).filter((each) => time % 2 === 1 || isVerified(each))
          const file = all[Math.floor(random() * all.length)] ?? ""
          const whole = readFileSync(file)
          const broken = damaged(whole, random)
          writeFileSync(file, broken)
          const what = `after ${file}, ${whole.length} bytes, of which ${firstDifference(whole, broken)} differs`
          const verified = yield* run(["verify", "--data-dir", dataDir], dataDir)
          expectWords(verified, `verify ${what}`)
          expectWords(yield* run(["status", "--data-dir", dataDir], dataDir), `status ${what}`)
          if (verified.code !== 0) {
            counts["noticed by verify"] += 1
            if (isArchive(file)) noticedSegments += 1
            if (isArchive(file) && noticedSegments % 4 === 1) {
              // Over the tables, which keep what the segment can't give any more.
              const copy = yield* temporaryFolder
              cpSync(dataDir, copy, { recursive: true, verbatimSymlinks: true })
              const args = ["replay", "--no-publish", "--data-dir", copy]
              expectWords(yield* run(args, copy), `replay ${what}`)
              expect(yield* content(copy), what).toEqual(before)
              counts["replayed over the tables"] += 1
            }
          } else if (isVerified(file) && !broken.equals(whole)) {
            // Times and ranges of the manifest are of no file's content.
            if (!isArchive(file)) expect(contentsIn(broken), what).toEqual(contentsIn(whole))
            // The end of a segment may be that of a run that was killed; the same rows come of it.
            const copy = yield* temporaryFolder
            cpSync(dataDir, copy, { recursive: true, verbatimSymlinks: true })
            loseTheWarehouse(copy)
            yield* replayed(copy)
            expect(yield* content(copy), what).toEqual(before)
            counts["replayed to equal rows"] += 1
          }
          writeFileSync(file, whole)
        }
        expect(counts["noticed by verify"]).toBeGreaterThan(0)
        noteFigures("files", counts)
        const { code, stdout, stderr } = yield* run(["verify", "--data-dir", dataDir], dataDir)
        expect([code, stdout + stderr]).toEqual([0, expect.any(String)])
      }).pipe(Effect.scoped),
    DAMAGED * HANG_SECONDS * 100,
  )
})
