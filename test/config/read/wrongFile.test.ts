// What a wrong configuration file says: where, what was expected, and the nearest right name.
import { mkdirSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "vitest"
import { complaints, config, configFolder, useConfigFolder } from "../../support/configFolder.ts"

useConfigFolder()

const mistakes: ReadonlyArray<readonly [name: string, file: string, complaint: string]> = [
  [
    "a key",
    "baseURL: https://example.com\n",
    "1:1: unknown setting `baseURL`; did you mean `baseUrl`?",
  ],
  [
    "a key in a section",
    "wire:\n  nmaes: {}\n",
    "2:3: wire: unknown setting `nmaes`; did you mean `names`?",
  ],
  [
    "a key like no other",
    "parquet: { zzz: 1 }\n",
    "1:12: parquet: unknown setting `zzz`; the settings here are `enabled`, `marts`",
  ],
  [
    "a key of a section outside of it",
    "wire.case: snake\n",
    "1:1: unknown setting `wire.case`; write `case` below `wire`: `wire: { case: … }`",
  ],
  [
    "a key of a section in a section outside of it",
    "wire: { names.revert_reason.transactionHash: tx_hash }\n",
    "1:9: wire: unknown setting `names.revert_reason.transactionHash`; write `revert_reason.transactionHash` below `names`: `names: { revert_reason.transactionHash: … }`",
  ],
  [
    "a colon without a space in a section",
    "publish: {postgres:postgres://u:T00-secret@h/db, enabled: true}\n",
    "1:11: publish: unknown setting `postgres…`; the colon after the name of a setting is followed by a space",
  ],
  [
    "a colon without a space",
    "{warehouse:ducklake:postgres://u:T00-secret@h/db}\n",
    "1:2: unknown setting `warehouse…`; the colon after the name of a setting is followed by a space",
  ],
  [
    "a choice",
    "wire:\n  case: Snake\n",
    "2:9: wire.case: `Snake` is not one of `camel`, `snake`; did you mean `snake`?",
  ],
  [
    "a name",
    'publish:\n  postgresPrefix: "vault(house"\n',
    "2:19: publish.postgresPrefix: `vault(house` is not a name such as `vaulthouse_`, of at most 40 letters (a–z), digits and `_`",
  ],
  [
    "a type",
    "requestTimeout: soon\n",
    "1:17: requestTimeout: `soon` is not a duration above 0 such as `30s` or `10 min`; a plain number is seconds",
  ],
  [
    "no time at all",
    "requestTimeout: 0\n",
    "1:17: requestTimeout: `0` is not a duration above 0 such as `30s` or `10 min`; a plain number is seconds",
  ],
  [
    "a file of a kind that can't be written",
    "report:\n  file: report.txt\n",
    "2:9: report.file: `report.txt` is not a path that ends with one of `.html`, `.pdf`, `.png`",
  ],
  [
    "days in the wrong order",
    "performanceFeeRanges:\n  - start: 2026-02-28\n    end: 2026-02-01\n",
    "3:10: performanceFeeRanges[0].end: `2026-02-01` is before `start`, `2026-02-28`",
  ],
  [
    "a value instead of a section",
    "parquet: true\n",
    "1:10: parquet: `true` is not a section with `enabled`, `marts`",
  ],
  [
    "a section instead of a value",
    "baseUrl:\n  url: https://example.com\n",
    "2:3: baseUrl: a section is not an address such as `https://api.example.com`",
  ],
  [
    "a list instead of a secret address",
    "notify:\n  - webhook: [https://example.com/secret]\n",
    "2:14: notify[0].webhook: is not an address that begins with `https://` or `http://`, or `${NAME}` for an environment variable that holds it",
  ],
  [
    "a missing value",
    "apySeries:\n  - smoothing: true\n  - averagingPeriodDays: 7\n",
    "3:5: apySeries[1]: `smoothing` is missing: `true` or `false`",
  ],
  [
    "an entry of a list",
    "vaults:\n  include:\n    - 0x52908400098527886E0F7030069857D2E4169EE7\n    - 0x52908400098527886E0F7030069857D2E4169Ee7\n",
    "4:7: vaults.include[1]: `0x52908400098527886E0F7030069857D2E4169Ee7` fails its EIP-55 checksum: a digit or the case of a letter is wrong",
  ],
  ["a key set twice", "overlapDays: 1\noverlapDays: 2\n", "2:1: `overlapDays` is set twice"],
  [
    "a tab",
    "parquet:\n\tenabled: true\n",
    "2:1: indented with a tab; YAML is indented with spaces",
  ],
  ["wrong indentation", "parquet:\n  enabled: true\n marts: true\n", "3:1: wrong indentation"],
  [
    "a colon without quotes",
    "platformSegment: a: b\n",
    "1:18: wrong indentation, or a text with `: ` that needs quotes",
  ],
  ["an open list", "vaults:\n  include: [1, 2\n", "3:1: a `]` is missing before this"],
  [
    "an open quotation mark, found where it is",
    'platformSegment: "a\noverlapDays: 3\n',
    "1:18: this text has no closing quotation mark",
  ],
  [
    "no colon",
    "overlapDays: 3\nlogLevel debug\n",
    "2:1: not `name: value`; a space follows the colon",
  ],
  [
    "a cron expression without quotes",
    "schedule:\n  hourly: * * * * *\n",
    "2:11: text that begins with `*` needs quotes",
  ],
  [
    "a cron expression with seconds",
    'schedule:\n  hourly: "7 * * * * *"\n',
    "2:11: schedule.hourly: `7 * * * * *` is not a cron expression such as `7 * * * *`, in UTC",
  ],
  [
    "a cron expression that is never due",
    'schedule:\n  daily: "0 0 31 4,6 *"\n',
    "2:10: schedule.daily: `0 0 31 4,6 *` names a day that its months don't have, so it would never be due",
  ],
  [
    "the home folder of a shell",
    "dataDir: ~/data\n",
    "1:10: dataDir: `~/data` begins with `~`, which only a shell replaces; write the whole path",
  ],
  ["a reserved character", "platformSegment: @x\n", "1:18: text that begins with `@` needs quotes"],
  [
    "a Windows path in double quotes",
    'dataDir: "C:\\data"\n',
    "1:13: `\\d` has no meaning in double quotes; write the text in single quotes",
  ],
  [
    "two documents",
    "overlapDays: 1\n---\noverlapDays: 2\n",
    "2:1: `---` begins a second document; a file of settings has only one",
  ],
  [
    "a list of settings",
    "- overlapDays\n",
    "1:1: expected settings, one `name: value` per line, with a space after the colon",
  ],
]

it.each(mistakes)("%s", (_, file, complaint) => {
  expect(complaints({ file })).toBe(`vaulthouse.config.yaml:${complaint}`)
})

it("all mistakes are shown in their order, and not too many", () => {
  const names = ["logLevel", "progress", "color", "publish", "parquet", "concurrency", "wire"]
  const message = complaints({ file: names.map((name) => `${name}: x\n`).join("") })
  expect(message.split("\n").map((line) => line.replace(/: .*/, ""))).toEqual([
    ...names
      .slice(0, 5)
      .map((name, index) => `vaulthouse.config.yaml:${index + 1}:${name.length + 3}`),
    "and 2 more; `vaulthouse config check` lists all",
  ])
})

it("a file named by flag or variable must exist; the default one need not", () => {
  const missing = `${join(configFolder(), "nowhere.yaml")}: there is no such file`
  expect(complaints({ flags: { config: "nowhere.yaml" } })).toBe(`--config: ${missing}`)
  const environment = { VAULTHOUSE_CONFIG: "nowhere.yaml" }
  expect(complaints({ environment })).toBe(`VAULTHOUSE_CONFIG: ${missing}`)
  expect(config({ file: "" }).settings.overlapDays).toBe(2)
})

it("a folder is not a file", () => {
  mkdirSync(join(configFolder(), "vaulthouse.config.yaml"))
  expect(complaints({})).toBe("vaulthouse.config.yaml: this is a folder, not a file")
})
