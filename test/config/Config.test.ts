// Settings: which source wins, what their values are, and that the key stays secret.
import { rmSync, writeFileSync } from "node:fs"
import { join, resolve } from "node:path"
import { inspect } from "node:util"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import { describe, expect, it } from "vitest"
import { originText } from "../../src/config/settings/origin.ts"
import { nearest } from "../../src/config/read/nearest.ts"
import { read } from "../../src/config/read/read.ts"
import { settingNames, settingOf } from "../../src/config/settings/settings.ts"
import { complaints, config, configFolder, useConfigFolder } from "../support/configFolder.ts"
import { environmentName } from "../../src/config/settings/Setting.ts"

useConfigFolder()

describe("the list of settings", () => {
  it.each(settingNames)("%s: the default is a value of its kind", (name) => {
    const setting = settingOf(name)
    if (setting.default === undefined) return
    const again = read(setting.kind, setting.default, [name])
    expect(Result.getOrThrow(again)).toEqual(setting.default)
  })

  it("names the environment after the flag", () => {
    expect(environmentName(settingOf("maxRequestsPerSecond"))).toBe(
      "VAULTHOUSE_MAX_REQUESTS_PER_SECOND",
    )
    expect(environmentName(settingOf("apySeries"))).toBeUndefined()
  })
})

describe("precedence", () => {
  const file = "baseUrl: https://file.example\n"
  const environment = { VAULTHOUSE_BASE_URL: "https://environment.example/" }
  const flags = { baseUrl: "https://flag.example/v1/" }

  it("is flag, environment, file, default, and each value has its origin", () => {
    const all = config({ file, environment, flags })
    expect(all.settings.baseUrl).toBe("https://flag.example/v1")
    expect(originText(all.origins.baseUrl)).toBe("--base-url")
    const two = config({ file, environment })
    expect(two.settings.baseUrl).toBe("https://environment.example")
    expect(originText(two.origins.baseUrl)).toBe("VAULTHOUSE_BASE_URL")
    const one = config({ file: `# comment\n\n${file}` })
    expect(one.settings.baseUrl).toBe("https://file.example")
    expect(originText(one.origins.baseUrl)).toBe("vaulthouse.config.yaml:3")
    rmSync(join(configFolder(), "vaulthouse.config.yaml"))
    const none = config({})
    expect(none.settings.baseUrl).toBeUndefined()
    expect(originText(none.origins.baseUrl)).toBe("default")
  })

  it("NO_COLOR switches colours off, and --color on again", () => {
    const noColor = { environment: { NO_COLOR: "1" } }
    const { settings, origins } = config(noColor)
    expect([settings.color, originText(origins.color)]).toEqual([false, "NO_COLOR"])
    expect(config({ ...noColor, flags: { color: true } }).settings.color).toBe(true)
    expect(config({}).settings.color).toBeUndefined()
  })

  it("ignores an empty variable", () => {
    expect(config({ file, environment: { VAULTHOUSE_BASE_URL: "" } }).settings.baseUrl).toBe(
      "https://file.example",
    )
  })

  it("a partial section keeps the other defaults", () => {
    const { wire, parquet } = config({
      file: "wire:\n  case: snake\nparquet: { marts: true }\n",
    }).settings
    expect(wire).toEqual({ case: "snake", names: {} })
    expect(parquet).toEqual({
      enabled: true,
      marts: true,
    })
  })

  it("addresses and paths are read without the newline that a secret store leaves", () => {
    const { settings } = config({
      file: "archive: |\n  ./raw\nreport:\n  file: |\n    ./report.html\n",
      environment: {
        VAULTHOUSE_BASE_URL: "https://environment.example/\n",
        VAULTHOUSE_DATA_DIR: "data\r\n",
      },
    })
    expect(settings.baseUrl).toBe("https://environment.example")
    expect(settings.dataDir).toBe(join(configFolder(), "data"))
    expect(settings.archive).toBe(join(configFolder(), "raw"))
    expect(settings.report.file).toBe(join(configFolder(), "report.html"))
  })

  it("relative paths start at the file's folder, or where the command runs", () => {
    const found = config({
      environment: { VAULTHOUSE_CONFIG: "sub.yaml" },
      file: "dataDir: x\n",
      fileName: "sub.yaml",
    })
    expect(found.settings.dataDir).toBe(join(configFolder(), "x"))
    expect(config({ flags: { dataDir: "../y" } }).settings.dataDir).toBe(
      resolve(configFolder(), "../y"),
    )
    expect(config({}).settings.dataDir).toBe(join(configFolder(), "data"))
  })
})

describe("kinds of values", () => {
  it.each([
    ["30s", 30],
    ["10 min", 600],
    ["1.5h", 5400],
    ["250ms", 0.25],
    ["2 days", 172_800],
    ["45", 45],
  ])("a duration: %s", (text, seconds) => {
    expect(config({ flags: { requestTimeout: text } }).settings.requestTimeout).toBe(seconds)
  })

  it.each(["", "0", "-5s", "ten", "10 parsecs", "1e3s"])("no duration: %j", (text) => {
    expect(complaints({ flags: { requestTimeout: text } })).toContain("--request-timeout: ")
  })

  it("numbers from the environment, and words that stand for none", () => {
    const environment = {
      VAULTHOUSE_CONCURRENCY: "4",
      VAULTHOUSE_MAX_REQUESTS_PER_SECOND: "2.5",
    }
    expect(config({ environment }).settings).toMatchObject({
      concurrency: 4,
      maxRequestsPerSecond: 2.5,
    })
    expect(
      config({ environment, flags: { concurrency: "adaptive" } }).settings.concurrency,
    ).toBeUndefined()
  })

  it.each([
    ["@evil.example/x", "does not begin with `/`"],
    ["cefi/{address}", "does not begin with `/`"],
    ["//evil.example/{address}", "leads to another host"],
    ["/a/../../{address}", "contains `.` or `..`"],
    ["/a/%2e%2e/{address}", "contains `.` or `..`"],
    ["/a?x={address}", "before the `?`"],
    ["/a#{address}", "before the `?` or `#`"],
    ["/a b", "characters that a path can't have"],
    [String.raw`/\\evil.example`, "characters that a path can't have"],
  ])("no path of the service: %s", (path, why) => {
    const message = complaints({ file: `paths:\n  cefiPositions: ${JSON.stringify(path)}\n` })
    expect(message).toContain("vaulthouse.config.yaml:2")
    expect(message).toContain("paths.cefiPositions: ")
    expect(message).toContain(why)
  })

  it.each(["..", "a/b", "a?b", "a#b", "@evil.example", "a b", "%2e%2e"])(
    "no segment of a path: %s",
    (segment) => {
      expect(complaints({ flags: { platformSegment: segment } })).toContain(
        `--platform-segment: \`${segment}\` is not one segment of a path`,
      )
    },
  )

  it.each([
    ["ftp://example.com", "http:// or https://"],
    ["example.com", "http:// or https://"],
    ["http://127.0.0.1:99999", "the host or the port is wrong"],
    ["https://example.com/?key=1", "must end before"],
  ])("no base URL: %s", (url, complaint) => {
    expect(complaints({ flags: { baseUrl: url } })).toContain(complaint)
  })

  it.each([
    ["https://user:hunter2@example.com", "user name or password"],
    ["https://hunter2@example.com", "user name or password"],
    ["https://:hunter2@example.com", "user name or password"],
    ["user:hunter2@example.com", "the value is not a valid address"],
    ["https://example.com/?key=hunter2", "`https://example.com/` must end before"],
    ["https://example.com/#hunter2", "`https://example.com/` must end before"],
    ["example.com/?key=hunter2", "the value is not a valid address"],
  ])("a base URL with a secret is refused and not repeated: %s", (baseUrl, why) => {
    const message = complaints({ flags: { baseUrl } })
    expect(message).toContain(why)
    expect(message).not.toContain("hunter2")
  })
})

describe("the API key", () => {
  const secret = "sk-live-31415"

  it("comes from the environment or a file, and is never shown", () => {
    writeFileSync(join(configFolder(), "key"), `${secret}\n`)
    const ways: ReadonlyArray<Record<string, string>> = [
      { VAULTHOUSE_API_KEY: secret },
      { VAULTHOUSE_API_KEY_FILE: "key" },
    ]
    for (const environment of ways) {
      const found = config({ environment })
      expect(found.apiKey && Redacted.value(found.apiKey)).toBe(secret)
      expect(inspect(found, { depth: 10 }) + JSON.stringify(found)).not.toContain(secret)
    }
  })

  it("is refused in the file, and the error does not repeat it", () => {
    const message = complaints({ file: `apiKey: ${secret}\n` })
    expect(message).toContain("vaulthouse.config.yaml:1:1: the key does not belong in this file")
    expect(message).not.toContain(secret)
  })

  it("is refused if unreadable, empty or broken, and the error does not repeat it", () => {
    writeFileSync(join(configFolder(), "empty"), "\n")
    expect(complaints({ environment: { VAULTHOUSE_API_KEY_FILE: "gone" } })).toContain(
      "there is no such file",
    )
    expect(complaints({ environment: { VAULTHOUSE_API_KEY_FILE: "empty" } })).toContain(
      "there is no key in it",
    )
    const message = complaints({ environment: { VAULTHOUSE_API_KEY: `${secret}\nx-evil: 1` } })
    expect(message).toContain("VAULTHOUSE_API_KEY: the key has characters")
    const short = complaints({ environment: { VAULTHOUSE_API_KEY: "USDC" } })
    expect(short).toContain("VAULTHOUSE_API_KEY: the key has 4 characters")
    expect(short).not.toContain("USDC")
    expect(message).not.toContain(secret)
  })

  it("has at least 8 characters, all of them visible, without the spaces around it", () => {
    const found = (key: string) => config({ environment: { VAULTHOUSE_API_KEY: key } }).apiKey
    expect(Redacted.value(found(" 8letters\n") ?? Redacted.make(""))).toBe("8letters")
    for (const wrong of ["7letter", "with a space", "with\u007fdelete", "with\u00e9accent"]) {
      const message = complaints({ environment: { VAULTHOUSE_API_KEY: wrong } })
      expect(message).toMatch(/^VAULTHOUSE_API_KEY: the key has (7 characters,|characters that) /)
      expect(message).not.toContain(wrong)
    }
  })

  it("of the environment comes before that of a file, which is not read then", () => {
    const environment = { VAULTHOUSE_API_KEY: secret, VAULTHOUSE_API_KEY_FILE: "gone" }
    const { apiKey, apiKeyOrigin } = config({ environment })
    expect(apiKey && Redacted.value(apiKey)).toBe(secret)
    expect(originText(apiKeyOrigin)).toBe("VAULTHOUSE_API_KEY")
  })

  it.each(["apiKey", "api_key", "apikey", "API-KEY", "apiKeyFile"])(
    "is refused in the file as %s too",
    (name) => {
      const message = complaints({ file: `${name}: ${secret}\n` })
      expect(message).toContain("the key does not belong in this file")
      expect(message).not.toContain(secret)
    },
  )

  it("warns when it would travel unencrypted to another machine", () => {
    const environment = { VAULTHOUSE_API_KEY: secret }
    const warnings = (baseUrl: string) => config({ environment, flags: { baseUrl } }).warnings
    expect(warnings("http://api.example.com")[0]?.detail).toContain("unencrypted")
    expect(warnings("https://api.example.com")).toEqual([])
    for (const own of ["127.0.0.1:8080", "127.1.2.3", "localhost:8080", "[::1]:8080"]) {
      expect(warnings(`http://${own}`)).toEqual([])
    }
    for (const other of ["127.0.0.1.evil.example", "localhost.example", "10.0.0.1", "[::2]"]) {
      expect(warnings(`http://${other}`)).toHaveLength(1)
    }
    expect(config({ flags: { baseUrl: "http://api.example.com" } }).warnings).toEqual([])
  })
})

it.each([
  ["VAULTHOUSE_BASEURL", "no setting has this name; did you mean `VAULTHOUSE_BASE_URL`?"],
  ["VAULTHOUSE_FOO", "no setting has this name, so it has no effect"],
  [
    "VAULTHOUSE_OVERLAP_DAYS",
    "no setting has this name; `overlapDays` can only be set in the configuration file",
  ],
])("the unknown variable %s is reported", (where, detail) => {
  const { unknownVariables } = config({ environment: { [where]: "1" } })
  expect(unknownVariables).toEqual([{ where, detail }])
})

it("a variable that the configuration file names, or that dbt reads, is in use", () => {
  const environment = {
    VAULTHOUSE_PING: "https://ping.example.com/1",
    VAULTHOUSE_LAKE: "ducklake:postgres://db/lake",
    VAULTHOUSE_WAREHOUSE: "${VAULTHOUSE_LAKE}",
    VAULTHOUSE_PUBLISHED: "data/published/vaulthouse.duckdb",
    VAULTHOUSE_DBT_FILE: "dbt.duckdb",
    VAULTHOUSE_FOO: "1",
  }
  const file = "notify: [{ ping: '${VAULTHOUSE_PING}' }]"
  const { unknownVariables } = config({ environment, file })
  expect(unknownVariables.map(({ where }) => where)).toEqual(["VAULTHOUSE_FOO"])
})

it.each([
  ["snyc", "sync"],
  ["data_dir", "dataDir"],
  ["staus", "status"],
  ["xyzzy", undefined],
])("nearest to %s is %s", (text, name) => {
  expect(nearest(text, ["sync", "status", "dataDir", "query"])).toBe(name)
})
