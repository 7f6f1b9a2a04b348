// The API key reaches the service and nothing else: no output, no file, no column.
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import { afterEach, beforeEach, expect, it } from "vitest"
import { type Simulator, startSimulator } from "../../simulator/index.ts"
import { query } from "../support/warehouseRun.ts"
import { vaulthouse } from "./command.ts"

const key = "sk-live-27182818284590"
// As a service may send it back: what stands before it moves its characters in base64.
const echoes = [
  key,
  Buffer.from(key).toString("hex"),
  ...["", "k", "ke"].map((before) => Buffer.from(before + key).toString("base64")),
]
let cwd = ""
let simulator: Simulator
beforeEach(async () => {
  cwd = mkdtempSync(join(tmpdir(), "vaulthouse-secret-"))
  simulator = await startSimulator({
    now: "2026-06-01T12:00:00Z",
    days: 10,
    vaults: 3,
    keys: { [key]: "user" },
    // A service that repeats the key in what it complains about.
    faults: [
      {
        kind: "status",
        status: 403,
        detail: `no such key: ${echoes.join(" or ")}`,
        match: "fields=ratio",
      },
      { kind: "contract-break", match: "historical_apy", count: 1 },
    ],
  })
})
afterEach(async () => {
  await simulator.close()
  rmSync(cwd, { recursive: true })
})

/** Names of files that hold the text as it is. */
const filesWith = (wanted: string): ReadonlyArray<string> =>
  readdirSync(cwd, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((file) => readFileSync(file).includes(wanted))

/** What holds one of the texts once decompressed: the archive, whose frames are many, or tables. */
const tablesAndArchiveWith = async (
  ...wanted: ReadonlyArray<string>
): Promise<ReadonlyArray<unknown>> => {
  const dataDir = join(cwd, "data")
  const tables = await Effect.runPromise(
    query(
      dataDir,
      `select table_schema || '.' || table_name as name from information_schema.tables
       where table_type = 'BASE TABLE' order by all`,
    ),
  )
  const held = (text: string) =>
    `list_has_any(list_transform(['${wanted.join("', '")}'], lambda each: contains(${text}, each)), [true])`
  const searches = tables.map(
    ({ name }) =>
      `select '${String(name)}' as name from ${String(name)} t where ${held("t::varchar")}`,
  )
  searches.push(
    `select 'archive' as name from read_ndjson_objects('${dataDir}/raw/*.zst')
     where ${held("json::varchar")}`,
  )
  const found = await Effect.runPromise(
    query(dataDir, `select distinct name from (${searches.join(" union all ")}) order by all`),
  )
  return found.map(({ name }) => name)
}

it("the API key reaches the service and nothing else", async () => {
  const { code, stdout, stderr } = await vaulthouse(
    ["sync", "--base-url", simulator.url, "--log-level", "debug"],
    { cwd, env: { VAULTHOUSE_API_KEY: key } },
  )
  expect(code).toBe(3)
  const withKey = simulator.requests().last.map(({ hasApiKey }) => hasApiKey)
  expect(new Set(withKey)).toEqual(new Set([true]))
  // Beyond the characters that each shares with what stands around it.
  const withins = echoes.map((echo) => echo.slice(4, -4))
  for (const within of withins) {
    expect(stdout + stderr).not.toContain(within)
    expect(filesWith(within)).toEqual([])
  }
  expect(await tablesAndArchiveWith(...withins)).toEqual([])
  // The search finds what is there: the complaint itself was kept, without the key.
  const found = await tablesAndArchiveWith("no such key: <redacted>", ...withins)
  expect(found).toContain("archive")
  expect(found).toContain("ops.tasks")
})
