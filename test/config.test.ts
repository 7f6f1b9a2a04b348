// Settings: which source wins, what the error of a wrong one says, and that the key stays secret.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { inspect } from "node:util"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { type Config, originText, readConfig } from "../src/config/Config.ts"
import { configJsonSchema } from "../src/config/jsonSchema.ts"
import { nearest } from "../src/config/nearest.ts"
import { read } from "../src/config/read.ts"
import { environmentName, settingNames, settingOf } from "../src/config/settings.ts"

let folder = ""
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "vaulthouse-config-"))
})
afterEach(() => {
  rmSync(folder, { recursive: true })
})

interface Given {
  readonly flags?: Record<string, unknown>
  readonly environment?: Record<string, string>
  readonly file?: string
  readonly fileName?: string
}
const attempt = ({ flags = {}, environment = {}, file, fileName }: Given) => {
  if (file !== undefined) {
    writeFileSync(join(folder, fileName ?? "vaulthouse.config.yaml"), file)
  }
  return Effect.runSync(Effect.result(readConfig({ flags, environment, cwd: folder })))
}
const config = (given: Given): Config => Result.getOrThrow(attempt(given))
const complaints = (given: Given): string => {
  const result = attempt(given)
  return Result.isFailure(result) ? result.failure.message : "no complaint"
}

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

  it("docs/config.schema.json is the schema of this list; `make docs` writes it again", () => {
    const written = readFileSync(resolve(import.meta.dirname, "../docs/config.schema.json"), "utf8")
    expect(JSON.parse(written)).toEqual(JSON.parse(JSON.stringify(configJsonSchema())))
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
    rmSync(join(folder, "vaulthouse.config.yaml"))
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
      file: "wire:\n  case: snake\nparquet: { profile: compatible }\n",
    }).settings
    expect(wire).toEqual({ case: "snake", names: {} })
    expect(parquet).toEqual({ enabled: true, compression: "zstd", profile: "compatible" })
  })

  it("relative paths start at the file's folder, or where the command runs", () => {
    const found = config({
      environment: { VAULTHOUSE_CONFIG: "sub.yaml" },
      file: "dataDir: x\n",
      fileName: "sub.yaml",
    })
    expect(found.settings.dataDir).toBe(join(folder, "x"))
    expect(config({ flags: { dataDir: "../y" } }).settings.dataDir).toBe(resolve(folder, "../y"))
    expect(config({}).settings.dataDir).toBe(join(folder, "data"))
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
    ["https://example.com/?key=1", "must end before"],
  ])("no base URL: %s", (url, complaint) => {
    expect(complaints({ flags: { baseUrl: url } })).toContain(complaint)
  })

  it("a base URL with a password is refused and not repeated", () => {
    const message = complaints({ flags: { baseUrl: "https://user:hunter2@example.com" } })
    expect(message).toContain("user name or password")
    expect(message).not.toContain("hunter2")
  })
})

describe("a wrong file", () => {
  it("names file, line, what was expected and the nearest name", () => {
    const message = complaints({
      file: [
        "baseURL: https://example.com",
        "wire:",
        "  case: Snake",
        "  nmaes: {}",
        "requestTimeout: soon",
        "apySeries:",
        "  - smoothing: true",
        "  - averagingPeriodDays: 1",
        "vaults:",
        "  include:",
        "    - 0x52908400098527886E0F7030069857D2E4169Ee7",
      ].join("\n"),
    })
    expect(message).toContain(
      "vaulthouse.config.yaml:1: Unknown setting `baseURL`; did you mean `baseUrl`?",
    )
    expect(message).toContain(
      "vaulthouse.config.yaml:3: wire.case: `Snake` is not one of `camel`, `snake`; did you mean `snake`?",
    )
    expect(message).toContain(
      "vaulthouse.config.yaml:4: wire.nmaes: Unknown setting `nmaes`; did you mean `names`?",
    )
    expect(message).toContain(
      "vaulthouse.config.yaml:5: requestTimeout: `soon` is not a duration such as `30s` or `10 min`; a plain number is seconds",
    )
    expect(message).toContain("vaulthouse.config.yaml:8: apySeries.1: `smoothing` is missing")
    expect(message).toContain("and 2 more")
  })

  it("an address with a typo is found at its line", () => {
    const file = "vaults:\n  include:\n    - 0x52908400098527886E0F7030069857D2E4169Ee7\n"
    expect(complaints({ file })).toMatch(/vaulthouse\.config\.yaml:3: .*checksum/)
  })

  it("broken YAML and a repeated key name their line", () => {
    expect(complaints({ file: "a: 1\nb: [1, 2\n" })).toMatch(/vaulthouse\.config\.yaml:[23]: /)
    expect(complaints({ file: "overlapDays: 1\noverlapDays: 2\n" })).toMatch(/:2: .*unique/)
    expect(complaints({ file: "- a\n- b\n" })).toContain(":1: the file is not a list of settings")
  })

  it("a file named by flag or variable must exist; the default one need not", () => {
    expect(complaints({ flags: { config: "nowhere.yaml" } })).toMatch(
      /--config: .*nowhere\.yaml: there is no such file/,
    )
    expect(config({ file: "" }).settings.overlapDays).toBe(2)
  })
})

describe("the API key", () => {
  const secret = "sk-live-31415"

  it("comes from the environment or a file, and is never shown", () => {
    writeFileSync(join(folder, "key"), `${secret}\n`)
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
    expect(message).toContain("vaulthouse.config.yaml:1: the key does not belong in this file")
    expect(message).not.toContain(secret)
  })

  it("is refused if unreadable, empty or broken, and the error does not repeat it", () => {
    writeFileSync(join(folder, "empty"), "\n")
    expect(complaints({ environment: { VAULTHOUSE_API_KEY_FILE: "gone" } })).toContain("ENOENT")
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

  it("warns when it would travel unencrypted to another machine", () => {
    const environment = { VAULTHOUSE_API_KEY: secret }
    const warnings = (baseUrl: string) => config({ environment, flags: { baseUrl } }).warnings
    expect(warnings("http://api.example.com").join()).toContain("unencrypted")
    expect(warnings("https://api.example.com")).toEqual([])
    expect(warnings("http://127.0.0.1:8080")).toEqual([])
  })
})

describe("proxies", () => {
  it("come from the variables Node users know, the lower-case name first", () => {
    const named = (environment: Record<string, string>) => {
      const { http, https } = config({ environment }).proxies
      return [http, https].map((proxy) => proxy && `${proxy.variable} ${proxy.origin}`)
    }
    expect(named({})).toEqual([undefined, undefined])
    expect(named({ HTTPS_PROXY: "http://a:1" })).toEqual([undefined, "HTTPS_PROXY http://a:1"])
    const both = { http_proxy: "http://a:1", HTTP_PROXY: "http://b:2" }
    expect(named(both)).toEqual(["http_proxy http://a:1", "http_proxy http://a:1"])
    const off = { https_proxy: "", HTTPS_PROXY: "http://b:2" }
    expect(named(off)).toEqual([undefined, undefined])
    const environment = { no_proxy: "localhost, .example.com 10.0.0.1" }
    expect(config({ environment }).proxies.direct).toEqual([
      "localhost",
      ".example.com",
      "10.0.0.1",
    ])
  })

  it("keep their credentials to themselves", () => {
    const found = config({ environment: { HTTPS_PROXY: "http://reader:s3cret@proxy:3128" } })
    expect(found.proxies.https?.origin).toBe("http://proxy:3128")
    expect(inspect(found, { depth: 10 }) + JSON.stringify(found)).not.toContain("s3cret")
  })

  it.each([
    [
      "proxy:3128",
      "HTTPS_PROXY: `proxy:3128` is not the address of a proxy such as `http://proxy:3128`",
    ],
    ["socks5://proxy:1080", "`socks5://proxy:1080` is not the address of a proxy"],
    ["reader:s3cret@proxy:3128", "HTTPS_PROXY: its value is not the address of a proxy"],
    ["http://reader:s3cret%zz@proxy:3128", "must be percent-encoded"],
  ])("no proxy: %s", (value, complaint) => {
    const message = complaints({ environment: { HTTPS_PROXY: value } })
    expect(message).toContain(complaint)
    expect(message).not.toContain("s3cret")
  })
})

it("an unknown variable is a warning with the nearest name", () => {
  expect(config({ environment: { VAULTHOUSE_BASEURL: "https://x.example" } }).warnings).toEqual([
    "Unknown setting VAULTHOUSE_BASEURL has no effect; did you mean `VAULTHOUSE_BASE_URL`?",
  ])
})

it.each([
  ["snyc", "sync"],
  ["data_dir", "dataDir"],
  ["staus", "status"],
  ["xyzzy", undefined],
])("nearest to %s is %s", (text, name) => {
  expect(nearest(text, ["sync", "status", "dataDir", "query"])).toBe(name)
})
