// Help, and wrong use: exit code 2, the nearest name, and nothing is run.
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { text } from "node:stream/consumers"
import { stripVTControlCharacters } from "node:util"
import { afterAll, describe, expect, it } from "vitest"
import { commands } from "../../../src/cli/commands/index.ts"
import { pipelines } from "../../../src/pipelines/pipelines.ts"
import { commandPage } from "../../../src/cli/pages/page.ts"
import {
  hasTerminal,
  lines,
  startOnTerminal,
  type Around,
  unwrapped,
  vaulthouse,
} from "../command.ts"

const cwd = mkdtempSync(join(tmpdir(), "vaulthouse-usage-"))
afterAll(() => rmSync(cwd, { recursive: true }))

const typed = (args: ReadonlyArray<string>, around: Partial<Around> = {}) =>
  vaulthouse(args, { cwd, ...around })

describe("help", () => {
  it("lists every command", async () => {
    const { code, stdout, stderr } = await typed(["--help"])
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" })
    for (const { name, summary } of commands) {
      expect(stdout).toMatch(new RegExp(`vaulthouse ${name} .*${summary.slice(0, 30)}`))
    }
  })

  it.each(commands.map(({ name }) => name))(
    "%s --help shows its flags and examples",
    async (name) => {
      const { code, stdout, stderr } = await typed([name, "--help"])
      expect({ code, stderr }).toEqual({ code: 0, stderr: "" })
      expect(stdout).toMatch(new RegExp(`^vaulthouse ${name}`))
      const command = commands.find((each) => each.name === name)
      for (const flag of Object.keys(command?.flags ?? {})) expect(stdout).toContain(`--${flag} `)
      expect(stdout).toContain(`  vaulthouse ${command?.examples[0]?.[0].split(" ")[0] ?? "?"}`)
      expect(stdout.includes("--data-dir ")).toBe(name !== "simulate")
      expect(stdout.indexOf("\nOptions:")).toBeGreaterThan(0)
      expect(stdout.indexOf("\nSettings:")).toBeGreaterThan(stdout.indexOf("\nOptions:"))
    },
  )

  it.each([
    ["status", false],
    ["tables", false],
    ["call", true],
    ["sync", true],
    ["worker", true],
  ])("%s --help shows settings of requests: %s", async (name, shown) => {
    const { stdout } = await typed([name, "--help"])
    for (const flag of ["--base-url ", "--request-timeout "]) {
      // An example may name one.
      const [settings = ""] = stdout.slice(stdout.indexOf("\nSettings:")).split("\nExamples:")
      expect(settings.includes(flag), flag).toBe(shown)
    }
    expect(stdout).not.toMatch(/default: (\[\]|")/)
  })

  it("refuses a lake whose catalog is in another database than PostgreSQL", async () => {
    const { code, stderr } = await typed(["status", "--warehouse", "ducklake:mysql://db/a"])
    expect(code).toBe(2)
    expect(stderr).toContain("--warehouse: is not `file`, or a lake such as `ducklake:postgres://")
  })

  it.runIf(hasTerminal).each([
    ["sync --help", "Examples:"],
    ["call --list", "unrealized_pnl_ratio (public)"],
    ["tables vault_latest", "example"],
  ])("%s fits a terminal of 80 columns", async (args, holds) => {
    const child = startOnTerminal(args.split(" "), cwd, 80)
    const output = stripVTControlCharacters(await text(child.stdout))
    const shown = output.replaceAll("\r", "").split("\n")
    expect(shown).toContain(holds)
    expect(shown.filter((line) => line.length > 80)).toEqual([])
  })

  it("docs/cli.md shows every value as a reader would write it", async () => {
    expect(await commandPage()).not.toMatch(/\[object Object\]|\bundefined \|/)
  })

  it.each(["since", "until"] as const)(
    "sync --help names the histories that --%s limits",
    async (end) => {
      const { stdout } = await typed(["sync", "--help"])
      const help = unwrapped(stdout).split(` --${end} `)[1]?.split(" [string]")[0] ?? ""
      const [names = ""] = help.split(";")
      const limited = pipelines.filter(({ limitedBy = [] }) => limitedBy.includes(end))
      expect(names.match(/\w+_\w+|transactions/g)?.toSorted()).toEqual(
        limited.map(({ name }) => name).toSorted(),
      )
    },
  )

  it("`help sync` is `sync --help`", async () => {
    expect(await typed(["help", "sync"])).toEqual(await typed(["sync", "--help"]))
    expect(await typed(["help"])).toEqual(await typed(["--help"]))
  })

  it("--version is that of package.json", async () => {
    const manifest = readFileSync(resolve(import.meta.dirname, "../../../package.json"), "utf8")
    const { version } = JSON.parse(manifest) as { version: string }
    expect(await typed(["--version"])).toEqual({ code: 0, stdout: `${version}\n`, stderr: "" })
  })
})

describe("a wrong command line", () => {
  // Nobody listens there: what is run in spite of its complaint fails in another way.
  const service = ["--base-url", "http://127.0.0.1:9"]
  type Wrong = readonly [args: ReadonlyArray<string>, says: ReadonlyArray<string>]
  const wrong: ReadonlyArray<Wrong> = [
    [["snyc"], ["there is no command `snyc`; did you mean `sync`?", "vaulthouse --help"]],
    [["snyc", "--full"], ["there is no command `snyc`; did you mean `sync`?"]],
    [["nothing-like-it"], ["the commands are init, sync, "]],
    [["--ful"], ["there is no flag `--ful`.\n"]],
    [
      ["sync", "--api-key", "abcdefgh"],
      ["--api-key`, which other users of this machine could see: set VAULTHOUSE_API_KEY, or"],
    ],
    [
      ["sync", "--ful"],
      ["there is no flag `--ful`; did you mean `--full`?", "vaulthouse sync --help"],
    ],
    [["status", "--data-dri", "x"], ["`--data-dri`; did you mean `--data-dir`?"]],
    [["status", "-v"], ["there is no flag `-v`.\n"]],
    [["status", "-vx=3"], ["vaulthouse: there is no flag `-vx`.\nSee"]],
    [["sync", "-since", "2026-02-02"], ["there is no flag `-since`; did you mean `--since`?\nSee"]],
    [["sync", "--no-progres"], ["there is no flag `--no-progres`; did you mean `--no-progress`?"]],
    [
      ["sync", "--since", "2026-02-01", "--since", "2026-02-02", ...service],
      ["--since is given more than once, and takes one value.\nSee"],
    ],
    [["query", "select 1", "--format", "csv", "--format", "json"], ["--format is given more"]],
    [["sync", "--since"], ["--since needs a value."]],
    // As of a variable that is not set: everything would be read.
    [
      ["sync", "--vault", "", ...service],
      ["--vault has an empty value; leave it out, or name what it selects.\nSee"],
    ],
    [["sync", "--vault", "Vega", "--vault", " , ", ...service], ["--vault has an empty value"]],
    [["sync", "", ...service], ["<pipeline> has an empty value"]],
    [["check", "--name", ""], ["--name has an empty value"]],
    [["swap", "--markets", ","], ["--markets has an empty value"]],
    [["backup", ""], ["name the folder to write the backup into."]],
    [["restore", " "], ["name the folder of the backup."]],
    [["prune", "--older-than", `${"9".repeat(14)}d`], ["is not a number of days up to 36500"]],
    [
      ["sync", "--base-url", "secret-key@api.example.com"],
      ["--base-url: the value is not a valid address: it must begin with http"],
    ],
    [["sync", "--base-url", "api:secret@host"], ["--base-url: the value is not a valid address"]],
    [["sync", "--base-url", "127.0.0.1:18080"], ["did you mean http://127.0.0.1:18080?"]],
    [["sync", "--base-url", "api.example.com/v1"], ["did you mean https://api.example.com/v1?"]],
    [
      ["runs", "show"],
      ["name a run.", "vaulthouse runs show last"],
    ],
    [["check", "--name", "one_curent"], ["did you mean"]],
    [["simulate", "--port", "99999"], ["--port 99999 is not a whole number from 0 to 65535."]],
    [
      ["query", "--format", "xml", "select 1"],
      ["--format xml is not one of table, csv, json, ndjson, markdown."],
    ],
    [["sync"], ["no base address", "--base-url", "VAULTHOUSE_BASE_URL", "vaulthouse simulate"]],
    [
      ["sync", ...service, "--since", "yesterday"],
      ["--since yesterday is not a day", "YYYY-MM-DD"],
    ],
    [["sync", ...service, "--until", "2026-02-30"], ["--until 2026-02-30 is not a day"]],
    [
      ["sync", ...service, "--since", "2026-02-02", "--until", "2026-02-01"],
      ["--since 2026-02-02 is after --until 2026-02-01"],
    ],
    [
      ["sync", ...service, "--vault", "0x52908400098527886E0F7030069857D2E4169Ee7"],
      ["0x52908400098527886E0F7030069857D2E4169Ee7", "checksum"],
    ],
    [
      ["sync", ...service, "ratio_histroy"],
      ["did you mean `ratio_history`?\n", "pnl_history"],
    ],
    [
      ["sync", "--base-url", "example.com"],
      ["--base-url", "http:// or https://"],
    ],
    [
      ["tables", "vault_dayly"],
      ["did you mean `vault_daily`?", "vaulthouse tables"],
    ],
    [["tables", "mart.vault_dayly"], ["did you mean `mart.vault_daily`?"]],
    [
      ["tables", "nosuch"],
      ["there is no table `nosuch`.", "vaulthouse tables"],
    ],
    [["query", "--param", "day", "select 1"], ["--param day is not of the form name=value"]],
    [["query", "--max-rows", "few", "select 1"], ["--max-rows few"]],
    [["query", "--file", "nowhere.sql"], ["nowhere.sql can't be read: there is no such file."]],
    [["query", "--file", "nowhere.sql", "select 1"], ["not both"]],
    [["query"], ["there is no SQL", "vaulthouse query"]],
    [
      ["query", ""],
      ["there is no SQL", "vaulthouse query"],
    ],
    [["runs", "--max-rows", "0"], ["--max-rows 0 is not a whole number of at least 1."]],
    [
      ["simulate", "--port", "0", "--vaults", "0"],
      ["--vaults 0 is not a whole number of at least 1."],
    ],
    [["simulate", "--port", "0", "--days", "many"], ["days"]],
    [["status", "--config", ""], ["vaulthouse: --config: `` is not a path\n"]],
    [["status", "--color", "maybe"], ["--color takes no value, but `maybe` follows it"]],
    [["sync", "--progress=maybe"], ["--progress takes no value, but has `maybe`"]],
    [
      ["sync", ...service, "--vault", "Harbor"],
      ["Harbor", "Vaults can be named once"],
    ],
    [["simulate", "--port", "0", "--options", "{"], ["--options is not JSON: "]],
    [["simulate", "--port", "0", "--options", "3"], ["--options 3 is not an object"]],
    ...["", "~/lake", "gs://bucket"].map((data): Wrong => [
      ["move", "--to", "ducklake:postgres://u@127.0.0.1:1/d", `--lake-data=${data}`],
      ["--lake-data: "],
    ]),
  ]
  it.each(wrong)("%j", async (args, says) => {
    const { code, stdout, stderr } = await typed(args)
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" })
    for (const part of says) expect(stderr).toContain(part)
    expect(stderr).not.toMatch(/^ +at /m)
    expect(stderr.trim().split("\n").length).toBeLessThanOrEqual(4)
  })

  it.each([[[]], [["--data-dir", "x"]]])("no command, %j: help and a hint", async (args) => {
    const { code, stdout, stderr } = await typed(args)
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" })
    expect(stderr).toMatch(/Commands:[^]*Name a command\.\n$/)
  })

  it("a misspelt flag runs nothing", async () => {
    await typed(["sync", ...service, "--fulll", "--no-progress", "--data-dir", "misspelt"])
    expect(existsSync(join(cwd, "misspelt"))).toBe(false)
  })

  it("is explained in any locale", async () => {
    const env = { LC_ALL: "de_DE.UTF-8", LANG: "de_DE.UTF-8" }
    const { code, stderr } = await typed(["sync", "--ful"], { env })
    expect({ code, stderr }).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("did you mean `--full`?") as string,
    })
  })
})

describe("before anything was published", () => {
  it("query says what to do", async () => {
    const { code, stdout, stderr } = await typed(["query", "select 1", "--data-dir", "none"])
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" })
    expect(stderr).toContain(`vaulthouse: nothing is published in ${join(cwd, "none")} yet.`)
    expect(stderr).toContain("vaulthouse sync")
    expect(existsSync(join(cwd, "none"))).toBe(false)
  })

  it("status says so, which is no error", async () => {
    const { code, stdout, stderr } = await typed(["status", "--data-dir", "none"])
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" })
    expect(lines(stdout)[0]).toBe("Health     unknown until a run has ended")
    expect(unwrapped(stdout)).toMatch(
      /none yet in \S+, which does not exist; `vaulthouse sync` is the first Published/,
    )
    expect(existsSync(join(cwd, "none"))).toBe(false)
    const warehouse = "ducklake:postgres://localhost/a"
    const ofLake = await typed(["status", "--warehouse", warehouse])
    expect(unwrapped(ofLake.stdout)).toContain("or `vaulthouse publish` copies what the lake has")
  })
})

it("status after a first run that was stopped says what records the health", async () => {
  mkdirSync(join(cwd, "stopped"))
  const run = { run_id: "20260601T12-ab", command: "sync", pid: 1, host: "here", error: null }
  const ended = { started_at: "2026-06-01T12:00:00Z", finished_at: "2026-06-01T12:00:09Z" }
  const figures = { requests: null, rows_inserted: null, rows_revised: null, seconds: null }
  writeFileSync(
    join(cwd, "stopped", "last-run.json"),
    JSON.stringify({ ...run, ...ended, ...figures, outcome: "stopped", failed_checks: [] }),
  )
  const { code, stdout } = await typed(["status", "--data-dir", "stopped"])
  expect({ code, first: lines(stdout)[0] }).toEqual({
    code: 0,
    first: "Health     unknown: not recorded here yet; the next `vaulthouse sync` records it",
  })
  expect(stdout).toContain("stopped, ended")
})

describe("a data directory that can't be used", () => {
  it.each([
    ["status"],
    ["query", "select 1"],
    ["runs"],
    ["diff", "last"],
    ["trace", "vault_latest"],
    ["check"],
    ["verify"],
    ["report"],
    ["fields"],
    ["serve", "--port", "0"],
    ["mcp"],
  ])("%s refuses a file", async (...args) => {
    writeFileSync(join(cwd, "file"), "")
    expect(await typed([...args, "--data-dir", "file"])).toEqual({
      code: 2,
      stdout: "",
      stderr: `vaulthouse: --data-dir: ${join(cwd, "file")} is a file, not a folder\n`,
    })
  })

  it("a path in which DuckDB would accept no commit is wrong use", async () => {
    expect(await typed(["config", "check", "--data-dir", "a?b"])).toEqual({
      code: 2,
      stdout: "",
      stderr: `vaulthouse: --data-dir: ${join(cwd, "a?b")} has a question mark in its path, where DuckDB stores nothing; choose another folder\n`,
    })
  })

  it("a path that can't be looked at is wrong use", async () => {
    symlinkSync("circle", join(cwd, "circle"))
    for (const [path, why] of [
      ["x".repeat(300), "the name is too long"],
      ["circle", "its symbolic links lead in a circle"],
    ] as const) {
      expect(await typed(["status", "--data-dir", path])).toEqual({
        code: 2,
        stdout: "",
        stderr: `vaulthouse: --data-dir: ${join(cwd, path)}: can't be read: ${why}\n`,
      })
    }
  })

  const below = process.execPath
  it.each([
    ["below a file", join(below, "data"), `${below} is not a folder`],
    // Linux: nothing can be made there, and Node's own way of making folders never comes back.
    ...(existsSync("/proc/self") ? [["in /proc", "/proc/data/here", "mkdir '/proc/data'"]] : []),
  ])("%s fails at once", async (_where, dataDir = "", why = "") => {
    const service = ["--base-url", "http://127.0.0.1:9", "--no-progress"]
    const { code, stdout, stderr } = await typed(["sync", ...service, "--data-dir", dataDir])
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" })
    expect(stderr).toContain(`the data directory ${dataDir} can't be used: `)
    expect(stderr).toContain(why)
    expect(stderr).toContain("choose another with --data-dir")
  })

  it("a link to a disk that is not mounted fails with what to do", async () => {
    const [link, disk] = [join(cwd, "linked"), join(cwd, "disk")]
    symlinkSync(disk, link)
    const service = ["--base-url", "http://127.0.0.1:9", "--no-progress"]
    const { code, stdout, stderr } = await typed(["sync", ...service, "--data-dir", link])
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" })
    expect(stderr).toContain(
      `the data directory ${link} can't be used: there is linked, a link to ${disk}, which is not there. Nothing was changed. Mount the disk that has ${disk}, or remove the link, and run this again.`,
    )
  })
})
