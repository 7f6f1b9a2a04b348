// vaulthouse init: what it writes, from flags and from answers on a terminal, and that it replaces nothing by accident.
import { spawn } from "node:child_process"
import { once } from "node:events"
import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest"
import { type Simulator, startSimulator } from "../../../simulator/index.ts"
import { HANG_SECONDS } from "../../support/until.ts"
import { bin, environment, hasTerminal, startOnTerminal, vaulthouse } from "../command.ts"

let cwd = ""
let simulator: Simulator
beforeAll(async () => {
  simulator = await startSimulator({ days: 5, vaults: 2, slowReadMs: 0 })
})
afterAll(() => simulator.close())
beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), "vaulthouse-init-"))
})
afterEach(() => rmSync(cwd, { recursive: true }))

const path = (): string => join(cwd, "vaulthouse.config.yaml")
const written = (): string => readFileSync(path(), "utf8")
const init = (args: ReadonlyArray<string> = [], env = {}) =>
  vaulthouse(["init", ...args], { cwd, env })
/** Name, value and origin of the settings that are not defaults. */
const settingsNow = async (): Promise<ReadonlyArray<ReadonlyArray<unknown>>> => {
  const { stdout } = await vaulthouse(["config", "--json"], { cwd })
  const { settings } = JSON.parse(stdout) as {
    readonly settings: ReadonlyArray<{ name: string; value: unknown; from: string; where: string }>
  }
  return settings
    .filter(({ from }) => from !== "default")
    .map(({ name, value, where }) => [name, value, where.replace(/:\d+$/, "")])
}
const file = "vaulthouse.config.yaml"

describe("init", () => {
  it("writes what flags and environment say, connects, and shows what the key has access to", async () => {
    const env = { VAULTHOUSE_API_KEY: "demo-curator-key", VAULTHOUSE_DATA_DIR: "warehouse" }
    const { code, stdout, stderr } = await init(["--base-url", `${simulator.url}/`], env)
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" })
    expect(stdout).toContain(`Wrote ${path()}.`)
    expect(stdout).toMatch(/^key +ok +a curator's key$/m)
    expect(stdout).toMatch(/^vault_subaccounts +curator +allowed$/m)
    expect(stdout).toContain("Next: `vaulthouse sync --plan`")
    expect(stdout + written()).not.toContain("demo-curator-key")
    expect(await settingsNow()).toEqual([
      ["baseUrl", simulator.url, file],
      ["dataDir", join(cwd, "warehouse"), file],
      ["platformSegment", "platform", file],
    ])
    expect(written()).toContain("VAULTHOUSE_API_KEY_FILE")
  })

  it("its file is valid, with all its examples too, and names a schema that exists", async () => {
    const { code } = await init(["--base-url", simulator.url])
    expect(code).toBe(0)
    expect(await vaulthouse(["config", "check"], { cwd })).toMatchObject({ code: 0 })
    const schema = /^# yaml-language-server: \$schema=(.+)$/m.exec(written())?.[1] ?? ""
    expect(JSON.parse(readFileSync(schema, "utf8"))).toMatchObject({ title: file })
    const examples = written().replaceAll(/^# (?=\w+:|  \w)/gm, "")
    writeFileSync(path(), examples)
    const names = (await settingsNow()).map(([name]) => name)
    expect(names).toEqual(expect.arrayContaining(["vaults.exclude", "schedule.hourly"]))
    expect(await vaulthouse(["config", "check"], { cwd })).toMatchObject({ code: 0, stderr: "" })
  })

  it.each([
    [0o640, 0o640],
    [0o644, 0o600],
  ])("--force on a file of mode %o leaves %o", async (mode, left) => {
    writeFileSync(path(), "")
    chmodSync(path(), mode)
    expect((await init(["--base-url", simulator.url, "--force"])).code).toBe(0)
    expect(statSync(path()).mode & 0o777).toBe(left)
  })

  it("leaves a file alone, even a wrong one, unless --force is given", async () => {
    writeFileSync(path(), "overlapDays: [\n")
    const refused = await init(["--base-url", simulator.url])
    expect(refused).toMatchObject({ code: 2, stdout: "" })
    expect(refused.stderr).toContain(`${path()} already exists`)
    expect(written()).toBe("overlapDays: [\n")
    const replaced = await init(["--base-url", simulator.url, "--force", "--json"])
    expect(replaced).toMatchObject({ code: 0, stderr: "" })
    const { file: shown, checks } = JSON.parse(replaced.stdout) as {
      readonly file: string
      readonly checks: ReadonlyArray<{ readonly check: string; readonly state: string }>
    }
    expect(shown).toBe(path())
    expect(checks).toContainEqual(expect.objectContaining({ check: "service", state: "ok" }))
    expect(written()).toContain(`baseUrl: ${simulator.url}`)
  })

  it("leaves no half of a file that a plain `init` would not replace", async () => {
    // A file may have 512 bytes: the process is killed in the middle of its write.
    const args = ["init", "--base-url", simulator.url]
    const cut = spawn("sh", ["-c", 'ulimit -f 1 && exec "$@"', "sh", bin, ...args], {
      cwd,
      env: environment,
      stdio: "ignore",
      timeout: HANG_SECONDS * 1000,
    })
    expect(await once(cut, "exit")).not.toEqual([0, null])
    expect(existsSync(path())).toBe(false)
    expect(await init(["--base-url", simulator.url])).toMatchObject({ code: 0, stderr: "" })
    expect(readdirSync(cwd)).toEqual([file])
  })

  it("writes nothing without a base address or with a wrong value", async () => {
    const open = await init()
    expect(open.code).toBe(2)
    expect(open.stderr).toContain("Pass --base-url")
    const wrong = await init(["--base-url", "example.com"])
    expect(wrong.code).toBe(2)
    expect(wrong.stderr).toContain("--base-url: `example.com` is not a valid address")
    expect(existsSync(path())).toBe(false)
    const nowhere = await init(["--base-url", simulator.url, "--config", "none/x.yaml"])
    expect(nowhere.code).toBe(2)
    expect(nowhere.stderr).toContain("none/x.yaml: can't be written: its folder does not exist")
  })

  it("a service that does not respond is a finding; the file stays", async () => {
    const { code, stdout } = await init(["--base-url", "http://127.0.0.1:9"])
    expect(code).toBe(4)
    expect(stdout).toMatch(/^service +failed .*ECONNREFUSED/m)
    expect(existsSync(path())).toBe(true)
  })
})

describe.runIf(hasTerminal)("on a terminal", () => {
  /** Types each answer when its question is there. */
  const converse = async (answers: ReadonlyArray<readonly [question: string, answer: string]>) => {
    const child = startOnTerminal(["init"], cwd, 200)
    let shown = ""
    let answered = 0
    const left = [...answers]
    child.stdout.on("data", (chunk: Buffer) => {
      shown += String(chunk)
      const [question, answer] = left[0] ?? ["", ""]
      const found = shown.indexOf(question, answered)
      if (question === "" || found === -1) return
      answered = found + question.length
      left.shift()
      child.stdin.write(answer)
    })
    await once(child, "close")
    return { shown, code: child.exitCode }
  }

  it("asks again after an answer that is wrong; an empty one is the default", async () => {
    const { shown } = await converse([
      ["Base address", "nonsense\n"],
      ["Base address", "\n"],
      ["Base address", `${simulator.url}\n`],
      ["Word that replaces", "\n"],
      ["Data directory", "warehouse\n"],
    ])
    expect(shown).toContain("`nonsense` is not a valid address")
    expect(shown).toContain("an answer is required: an address such as")
    expect(shown).toContain("none is set: public data only")
    expect(await settingsNow()).toEqual([
      ["baseUrl", simulator.url, file],
      ["dataDir", join(cwd, "warehouse"), file],
      ["platformSegment", "platform", file],
    ])
  })

  it.each([
    ["Ctrl-C", "\u0003", "stopped", 130],
    ["Ctrl-D", "\u0004", "the input ended before the last answer; nothing was written.", 2],
  ])("%s ends it, and nothing is written", async (_, typed, message, code) => {
    const ended = await converse([
      ["Base address", `${simulator.url}\n`],
      ["Word that replaces", typed],
    ])
    expect(ended.shown).toContain(message)
    expect(ended.code).toBe(code)
    expect(existsSync(path())).toBe(false)
  })
})
