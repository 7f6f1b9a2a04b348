// `--json` of every command: one object on one line, with snake_case keys, among them those of released versions.
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, expect, it } from "vitest"
import { type Simulator, startSimulator } from "../../simulator/index.ts"
import { commands } from "../../src/cli/commands/index.ts"
import { vaulthouse } from "./command.ts"

let cwd = ""
let simulator: Simulator
beforeAll(async () => {
  cwd = mkdtempSync(join(tmpdir(), "vaulthouse-json-"))
  simulator = await startSimulator({ now: "2026-06-01T12:00:00Z", days: 3, vaults: 2 })
  const ended = await vaulthouse(["sync", "--base-url", simulator.url, "--no-progress"], { cwd })
  expect(ended.code).toBe(0)
  writeFileSync(join(cwd, "notify.yaml"), "notify: [{ command: [cat] }]\n")
})
afterAll(async () => {
  await simulator.close()
  rmSync(cwd, { recursive: true })
})

const address = "0x4a19a4070465451cf25334292482496813a8a76c"
const swap = [
  ...`--address ${address} --source-token ${address} --source-chain 1 --source-amount 1`.split(" "),
  ...`--destination-token ${address} --destination-chain 10`.split(" "),
]

/** Beyond its name, what a command needs to report something. */
const needed: Readonly<Record<string, ReadonlyArray<ReadonlyArray<string>>>> = {
  sync: [["fees"], ["--plan"]],
  config: [[], ["check"]],
  notify: [["test", "--config", "notify.yaml"]],
  runs: [[], ["show", "last"]],
  diff: [["last"], ["last", "--table", "vaults"]],
  trace: [["vaults", "--vault", "<vault>"]],
  call: [["--list"]],
  swap: [swap, ["--list"]],
  check: [[], ["--against-archive"]],
  tables: [["vaults"]],
  prune: [["--dry-run"]],
  replay: [[], ["--quarantine"]],
  schedule: [["--dry-run"]],
  backup: [["copy"]],
  restore: [["copy", "--data-dir", "restored"]],
}

/** Keys that every released version had at the top, by command. */
const promised = globSync(join(import.meta.dirname, "../fixtures/surface/*.json")).flatMap((file) =>
  Object.entries(JSON.parse(readFileSync(file, "utf8")) as Record<string, ReadonlyArray<string>>),
)

// What reports only on a lake is in test/lake.
const onLakes = new Set(["move"])

const cases = commands
  .filter(({ name, flags }) => "json" in flags && !onLakes.has(name))
  .flatMap(({ name }) => (needed[name] ?? [[]]).map((more) => [name, ...more]))

/** Keys of everything but what the service itself sent or gets. */
const keysOf = (value: unknown): ReadonlyArray<string> => {
  if (Array.isArray(value)) return value.flatMap(keysOf)
  if (typeof value !== "object" || value === null) return []
  return Object.entries(value).flatMap(([key, member]) => [
    key,
    ...(["body", "request", "response", "value"].includes(key) ? [] : keysOf(member)),
  ])
}

it("every promised output is one that is looked at", () => {
  const calls = new Set(cases.map((args) => args.join(" ")))
  expect(promised.map(([call]) => call).filter((call) => !calls.has(call))).toEqual([])
})

it.each(cases)("%s %s", async (...args) => {
  const vault = simulator.truth.vaults[0]?.address ?? ""
  const typed = args.map((arg) => (arg === "<vault>" ? vault : arg))
  const service = ["--base-url", simulator.url, "--no-progress"]
  const { stdout } = await vaulthouse([...typed, "--json", ...service], { cwd })
  const report: unknown = JSON.parse(stdout)
  expect(Array.isArray(report)).toBe(false)
  expect(stdout.trimEnd().split("\n")).toHaveLength(1)
  const keys = [...new Set(keysOf(report))]
  expect(keys.filter((key) => !/^[a-z0-9_]+$/.test(key))).toEqual([])
  const kept = promised.flatMap(([call, each]) => (call === args.join(" ") ? each : []))
  expect(Object.keys(report as object)).toEqual(expect.arrayContaining(kept))
})
