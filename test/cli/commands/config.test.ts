// vaulthouse config: every setting with its origin, secrets hidden; and config check.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { settingNames, settingOf } from "../../../src/config/settings/settings.ts"
import { vaulthouse } from "../command.ts"

let cwd = ""
beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), "vaulthouse-config-"))
})
afterEach(() => rmSync(cwd, { recursive: true }))

const write = (text: string): void => writeFileSync(join(cwd, "vaulthouse.config.yaml"), text)

interface Shown {
  readonly file: string | null
  readonly settings: ReadonlyArray<{ name: string; value: unknown; from: string; where: string }>
}

describe("config", () => {
  const file =
    "baseUrl: https://api.example.com\n\nparquet:\n  marts: true\nnotify:\n  - ping: https://hc.example/s3cret\n  - command: [/bin/page, --token, s3cret]\n"
  const env = {
    VAULTHOUSE_DATA_DIR: "elsewhere",
    VAULTHOUSE_API_KEY: "sk-live-31415",
    HTTPS_PROXY: "http://reader:s3cret@proxy.example:3128",
    NO_PROXY: "localhost",
  }
  const flags = ["--request-timeout", "2 min"]

  it("shows every setting with its value and its origin, and no secret", async () => {
    write(file)
    const { code, stdout, stderr } = await vaulthouse(["config", "--json", ...flags], { cwd, env })
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" })
    const shown = JSON.parse(stdout) as Shown
    expect(shown.file).toBe(join(cwd, "vaulthouse.config.yaml"))
    const found = Object.fromEntries(
      shown.settings.map(({ name, value, from, where }) => [name, [value, from, where]]),
    )
    expect(found).toMatchObject({
      baseUrl: ["https://api.example.com", "file", "vaulthouse.config.yaml:1"],
      dataDir: [join(cwd, "elsewhere"), "environment", "VAULTHOUSE_DATA_DIR"],
      requestTimeout: [120, "flag", "--request-timeout"],
      overlapDays: [2, "default", null],
      concurrency: [null, "default", null],
      "parquet.marts": [true, "file", "vaulthouse.config.yaml:4"],
      "parquet.enabled": [true, "default", null],
      notify: [
        [
          { ping: "<redacted:https://hc.example>" },
          { command: ["/bin/page", "<redacted>", "<redacted>"] },
        ],
        "file",
        "vaulthouse.config.yaml:5",
      ],
      apiKey: ["<redacted>", "environment", "VAULTHOUSE_API_KEY"],
      HTTPS_PROXY: ["http://proxy.example:3128", "environment", "HTTPS_PROXY"],
      NO_PROXY: ["localhost", "environment", "NO_PROXY"],
    })
    const names = shown.settings.map(({ name }) => name.replace(/\..*/, ""))
    for (const name of settingNames) expect(names, settingOf(name).describe).toContain(name)
    expect(stdout).not.toMatch(/31415|s3cret/)
  })

  it("shows the same as a table", async () => {
    write(file)
    const { stdout } = await vaulthouse(["config", ...flags], { cwd, env })
    expect(stdout).toMatch(/^requestTimeout +--request-timeout +120 s$/m)
    expect(stdout).toMatch(/^parquet\.marts +vaulthouse\.config\.yaml:4 +true$/m)
    expect(stdout).toMatch(/^concurrency +default +adaptive$/m)
    expect(stdout).toMatch(/^apiKey +VAULTHOUSE_API_KEY +<redacted>$/m)
    expect(stdout).not.toMatch(/31415|s3cret/)
  })
})

describe("config check", () => {
  const check = (args: ReadonlyArray<string> = [], env = {}) =>
    vaulthouse(["config", "check", ...args], { cwd, env })

  it.each(["0GB", "0.0 GB", "999999999TB", "4"])("refuses %s of memory", async (amount) => {
    write(`baseUrl: https://api.example.com\nqueryMemoryLimit: ${amount}\n`)
    const { code, stdout, stderr } = await check()
    expect(code).toBe(2)
    expect(`${stdout}${stderr}`).toContain("an amount such as `4GB` or `512MB`")
  })

  it("passes a valid file, and needs none", async () => {
    expect(await check()).toEqual({
      code: 0,
      stdout: "The configuration is valid (there is no file).\n",
      stderr: "",
    })
    write("overlapDays: 3\n")
    expect(await check()).toMatchObject({
      code: 0,
      stdout: `The configuration is valid (${join(cwd, "vaulthouse.config.yaml")}).\n`,
    })
  })

  it("lists all mistakes of the file, however many", async () => {
    const names = ["logLevel", "progress", "color", "publish", "parquet", "concurrency", "wire"]
    write(names.map((name) => `${name}: x\n`).join(""))
    const { code, stdout, stderr } = await check()
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" })
    expect(stderr.match(/vaulthouse\.config\.yaml:\d:\d+: /g)).toHaveLength(names.length)
  })

  it("finds what only a run would notice: names of variables, pipelines and columns, another file", async () => {
    write("pipelines: [vaults, fes]\nfields:\n  fees.nothing: x\nscenarios: none.yaml\n")
    const { code, stdout, stderr } = await check(["--json"], { VAULTHOUSE_BASEURL: "x" })
    expect({ code, stderr }).toEqual({ code: 2, stderr: "" })
    expect(JSON.parse(stdout)).toEqual({
      valid: false,
      problems: [
        {
          where: "VAULTHOUSE_BASEURL",
          detail: "no setting has this name; did you mean `VAULTHOUSE_BASE_URL`?",
        },
        {
          where: "vaulthouse.config.yaml",
          line: 1,
          column: 21,
          detail: "there is no pipeline `fes`; did you mean `fees`?",
        },
        {
          where: "vaulthouse.config.yaml",
          line: 3,
          column: 3,
          detail: "fields: `fees.nothing` is not a column that is read from a field",
        },
        {
          where: "vaulthouse.config.yaml",
          line: 4,
          column: 1,
          detail: `scenarios: ${join(cwd, "none.yaml")}: there is no such file`,
        },
      ],
      warnings: [],
    })
  })

  it("advises on contracts and fields by themselves", async () => {
    write("contracts:\n  nothing: freeze\n")
    const ofContracts = await check()
    expect(ofContracts.code).toBe(2)
    expect(ofContracts.stderr).toContain("`nothing` is not a table with fields of the service")
    expect(ofContracts.stderr).toContain("Write `table: freeze`")
    expect(ofContracts.stderr).not.toContain("table.column")
    write("contracts:\n  nothing: freeze\nfields:\n  fees.nothing: x\n")
    expect((await check()).stderr).toMatch(/Write `table\.column: field`[^]*Write `table: freeze`/)
  })

  it("warns that one of two keys is not read", async () => {
    const { code, stderr } = await check([], {
      VAULTHOUSE_API_KEY: "k-31415926",
      VAULTHOUSE_API_KEY_FILE: "none",
    })
    expect({ code, stderr }).toEqual({
      code: 0,
      stderr:
        "warning: VAULTHOUSE_API_KEY_FILE: not read, since VAULTHOUSE_API_KEY is set too; unset one of them\n",
    })
  })

  it("another word is a usage error", async () => {
    const { code, stderr } = await vaulthouse(["config", "chek"], { cwd })
    expect(code).toBe(2)
    expect(stderr).toContain("`config chek` is not a command")
  })
})
