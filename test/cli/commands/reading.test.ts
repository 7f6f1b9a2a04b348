// The commands that read what was published: query, tables, status, verify.
import { once } from "node:events"
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { text } from "node:stream/consumers"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type Simulator, startSimulator } from "../../../simulator/index.ts"
import {
  type DictionaryEntry,
  dictionary,
  isRelation,
} from "../../../src/pipelines/readers/dictionary.ts"
import { warmReaders } from "../../support/processes/warmReaders.ts"
import { type Around, lines, start, vaulthouse } from "../command.ts"

let cwd = ""
let simulator: Simulator
warmReaders()
beforeAll(async () => {
  cwd = mkdtempSync(join(tmpdir(), "vaulthouse-reading-"))
  simulator = await startSimulator({ now: "2026-06-01T12:00:00Z", days: 20, vaults: 4 })
  const { code } = await typed(["sync", "--base-url", simulator.url, "--no-progress"])
  expect(code).toBe(0)
})
afterAll(async () => {
  await simulator.close()
  rmSync(cwd, { recursive: true })
})

const typed = (args: ReadonlyArray<string>, around: Partial<Around> = {}) =>
  vaulthouse(args, { cwd, ...around })

describe("query", () => {
  const sql = `select 1 as a, 'x,"y|z' as "b|c", null as d, 9007199254740993::bigint as e
    union all select 2, 'plain', 'd', 4 order by a`

  const formats: ReadonlyArray<{ format: string; wanted: ReadonlyArray<string> }> = [
    {
      format: "table",
      wanted: ["a b|c d e", `1 x,"y|z – 9007199254740993`, "2 plain d 4", "(2 rows)"],
    },
    { format: "csv", wanted: ["a,b|c,d,e", `1,"x,""y|z",,9007199254740993`, "2,plain,d,4"] },
    {
      format: "ndjson",
      wanted: [
        String.raw`{"a":1,"b|c":"x,\"y|z","d":null,"e":"9007199254740993"}`,
        `{"a":2,"b|c":"plain","d":"d","e":4}`,
      ],
    },
    {
      format: "markdown",
      wanted: [
        String.raw`| a | b\|c | d | e |`,
        "|---|---|---|---|",
        String.raw`| 1 | x,"y\|z | | 9007199254740993 |`,
        "| 2 | plain | d | 4 |",
      ],
    },
  ]
  it.each(formats)("--format $format", async ({ format, wanted }) => {
    const { code, stdout, stderr } = await typed(["query", sql, "--format", format])
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" })
    // How wide a table's columns are is of no interest here.
    expect(lines(stdout).map((line) => line.replaceAll(/ +/g, " ").trim())).toEqual(wanted)
  })

  it("--format json is one document, also of no rows", async () => {
    const { stdout } = await typed(["query", sql, "--format", "json"])
    expect(JSON.parse(stdout)).toMatchObject([
      { a: 1, "b|c": `x,"y|z`, d: null, e: "9007199254740993" },
      { a: 2 },
    ])
    const none = await typed(["query", "select 1 as a where false", "--format", "json"])
    expect(JSON.parse(none.stdout)).toEqual([])
  })

  it("takes SQL from a file and from standard input, and prints CSV into a pipe", async () => {
    const question = "select count(*) as vaults from mart.vault_latest"
    writeFileSync(join(cwd, "question.sql"), `-- how many?\n${question};\n`)
    const wanted = { code: 0, stdout: "vaults\n4\n", stderr: "" }
    expect(await typed(["query", question])).toEqual(wanted)
    expect(await typed(["query", "--file", "question.sql"])).toEqual(wanted)
    expect(await typed(["query"], { stdin: question })).toEqual(wanted)
  })

  it("--param fills in values, never SQL", async () => {
    const dayAndText = "select $day::date + 1 as day, $text as text"
    const values = ["--param", "day=2026-01-31", "--param", "text=it's a=b, c"]
    const { stdout } = await typed(["query", dayAndText, ...values])
    expect(lines(stdout)[1]).toBe(`2026-02-01,"it's a=b, c"`)
    const named = await typed(["query", "select $constructor as x", "--param", "constructor=7"])
    expect(lines(named.stdout)[1]).toBe("7")
    const missing = await typed(["query", dayAndText, "--param", "day=2026-01-31"])
    expect(missing).toMatchObject({ code: 1, stdout: "" })
    expect(missing.stderr).toContain("text")
  })

  it("--param sets what a query reads with getvariable, and a name it does not have is refused", async () => {
    const file = "declared.sql"
    writeFileSync(join(cwd, file), "select coalesce(getvariable('days'), 30) as days\n")
    expect((await typed(["query", "--file", file])).stdout).toBe("days\n30\n")
    const given = await typed(["query", "--file", file, "--param", "days=7"])
    expect(given.stdout).toBe("days\n7\n")
    const wrong = await typed(["query", "--file", file, "--param", "day=7"])
    expect(wrong).toMatchObject({ code: 2, stdout: "" })
    expect(wrong.stderr).toContain("It has days.")
  })

  it("--max-rows cuts, and the table says so", async () => {
    const rows = "select range as n from range(50) order by n"
    const csv = await typed(["query", rows, "--max-rows", "2"])
    expect(csv.stdout).toBe("n\n0\n1\n")
    const table = await typed(["query", rows, "--max-rows", "2", "--format", "table"])
    expect(table.stdout).toMatch(/\(50 rows, the first 2 shown; --max-rows shows more\)\n$/)
  })

  const refused: ReadonlyArray<readonly [sql: string, says: string]> = [
    ["selec 1", 'syntax error at or near "selec"'],
    ["select * from nosuch", "nosuch does not exist"],
    ["create table x(i int)", "read-only"],
    ["delete from core.vaults", "read-only"],
    ["copy (select 1) to 'out.csv'", "read-only"],
    ["select * from read_csv('/etc/passwd')", "can't use read_csv()"],
    ["select * from '/etc/passwd.csv'", "Cannot access file"],
    ["attach 'other.duckdb'", "read-only"],
    ["set enable_external_access = true", "read-only"],
  ]
  it.each(refused)("refuses: %s", async (statement, says) => {
    const { code, stdout, stderr } = await typed(["query", statement])
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" })
    expect(stderr).toMatch(/^vaulthouse: /)
    expect(stderr).toContain(says)
    expect(stderr).not.toMatch(/^ +at /m)
    expect(existsSync(join(cwd, "out.csv")) || existsSync(join(cwd, "other.duckdb"))).toBe(false)
  })

  it("ends quietly when the reader leaves", async () => {
    const child = start(["query", "select * from range(50_000_000)"], { cwd })
    const complaints = text(child.stderr)
    const closed = once(child, "exit")
    await once(child.stdout, "data")
    child.stdout.destroy()
    expect(await closed).toEqual([0, null])
    expect(await complaints).toBe("")
  })
})

describe("tables", () => {
  it("lists all, describes one, with or without its schema", async () => {
    const all = await typed(["tables"])
    expect(all).toMatchObject({ code: 0, stderr: "" })
    for (const { name, grain } of dictionary()) {
      expect(
        lines(all.stdout).some((line) => line.startsWith(`${name} `) && line.includes(grain)),
      ).toBe(true)
    }
    const schema = await typed(["tables", "meta"])
    expect(lines(schema.stdout).filter((line) => /^\w+\./.test(line))).toHaveLength(
      dictionary().filter(({ name }) => name.startsWith("meta.")).length,
    )
    const short = await typed(["tables", "vault_daily"])
    expect(short).toEqual(await typed(["tables", "mart.vault_daily"]))
    const daily = dictionary().find(({ name }) => name === "mart.vault_daily")
    for (const { name, comment } of daily?.columns ?? []) {
      expect(short.stdout).toMatch(new RegExp(`^${name} `, "m"))
      expect(short.stdout).toContain(comment)
    }
    expect(short.stdout).toContain("vaulthouse query ")
  })

  it("--json has every column of the published copy, each explained", async () => {
    const { stdout } = await typed(["tables", "--json"])
    const { tables: output } = JSON.parse(stdout) as { tables: ReadonlyArray<DictionaryEntry> }
    const names = output
      .filter(isRelation)
      .flatMap(({ name, columns }) => columns.map((column) => `${name}.${column.name}`))
    const there = await typed([
      "query",
      `select table_schema || '.' || table_name || '.' || column_name as name
       from information_schema.columns where table_catalog = 'published'
       and table_schema in ('core', 'mart', 'meta', 'ops', 'raw')`,
    ])
    expect(names.toSorted()).toEqual(lines(there.stdout).slice(1).toSorted())
    const silent = output.flatMap(({ columns }) => columns.filter(({ comment }) => comment === ""))
    expect(silent).toEqual([])
  })

  it("every example runs", async () => {
    const examples = dictionary().map(({ example }) => example.trim().replace(/;$/, ""))
    const { code, stderr } = await typed(["query", "--format", "json"], {
      stdin: examples.map((example) => `select count(*) from (${example})`).join(" union all "),
    })
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" })
  })
})

describe("status", () => {
  it("fits a screen: health, the last run, freshness, what needs attention", async () => {
    const { code, stdout, stderr } = await typed(["status"])
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" })
    expect(lines(stdout).length).toBeLessThan(24)
    expect(lines(stdout).filter((line) => line.length > 80)).toEqual([])
    // The service's history ended in June.
    expect(stdout).toMatch(/^Health +needs attention: \d+ stale series$/m)
    expect(stdout).toMatch(/^Last run +\S+ \(sync\): complete, ended /m)
    expect(stdout).toMatch(/^Published +(?:just now|\d+ min ago),/m)
    expect(stdout).toMatch(/^ratio +4 +3 +2026-06-01 12:00 +\d+ d +3 h$/m)
    expect(stdout).toMatch(/^ {2}\w+ is stale for 3 of 4 vaults: \d+ d old, target /m)
  })

  it("--all has every pipeline, rows, gaps and quarantine too", async () => {
    const { code, stdout } = await typed(["status", "--all"])
    expect(code).toBe(0)
    const { vaults } = simulator.truth
    const points = vaults.reduce((sum, { ratio }) => sum + ratio.n, 0).toLocaleString("en")
    expect(stdout).toMatch(new RegExp(`core\\.ratio_history +${points}\\b`))
    expect(stdout).toMatch(/^roles +\d+ +0 /m)
    expect(stdout).toContain("Gaps: none\n")
  })

  it("--json has the same for a program", async () => {
    const { code, stdout } = await typed(["status", "--json"])
    expect(code).toBe(0)
    const status = JSON.parse(stdout) as Record<string, ReadonlyArray<Record<string, unknown>>>
    expect(status).toMatchObject({
      health: "attention",
      last_run: { outcome: "complete" },
      published: { run_id: expect.any(String) as unknown },
      gaps: [],
      quarantine: [],
    })
    expect(status["freshness"]?.map(({ subject }) => subject)).toEqual(
      expect.arrayContaining(["allocation", "apy_smoothed_7d", "pnl", "ratio", "roles"]),
    )
    expect(status["problems"]?.[0]).toEqual({
      kind: "stale",
      subject: expect.any(String) as unknown,
      text: expect.any(String) as unknown,
      advice: expect.any(String) as unknown,
      since: expect.any(String) as unknown,
    })
  })
})

describe("verify", () => {
  it("names a folder without a warehouse", async () => {
    const { code, stderr } = await typed(["verify", "--data-dir", "nowhere"])
    expect(code).toBe(1)
    expect(stderr).toMatch(/there is no warehouse in \S+nowhere.*run `vaulthouse sync` first/s)
  })

  it("accepts what was published", async () => {
    const { code, stdout, stderr } = await typed(["verify"])
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" })
    expect(stdout).toContain("matches its manifest")
    expect((await typed(["verify", "--json"])).stdout).toBe('{"findings":[]}\n')
  })

  it("finds what is missing, changed or extra; its advice repairs it", async () => {
    const dataDir = join(cwd, "damaged")
    cpSync(join(cwd, "data"), dataDir, { recursive: true, verbatimSymlinks: true })
    const { files } = JSON.parse(
      readFileSync(join(dataDir, "parquet/current/manifest.json"), "utf8"),
    ) as { files: ReadonlyArray<{ path: string; table: string; month: string | null }> }
    const pathOf = (table: string, month: string | null) =>
      `parquet/${files.find((file) => file.table === table && file.month === month)?.path}`
    const changed = pathOf("ratio_history", "2026-05")
    const gone = pathOf("vaults", null)
    const bytes = readFileSync(join(dataDir, changed))
    const middle = Math.floor(bytes.length / 2)
    bytes[middle] = (bytes[middle] ?? 0) ^ 1
    writeFileSync(join(dataDir, changed), bytes)
    rmSync(join(dataDir, gone))
    writeFileSync(join(dataDir, "parquet/current/core/stray.parquet"), "")

    const json = await typed(["verify", "--json", "--data-dir", dataDir])
    expect(json.code).toBe(4)
    const { findings } = JSON.parse(json.stdout) as {
      findings: ReadonlyArray<{ kind: string; path: string }>
    }
    expect(findings.map(({ kind, path }) => `${kind} ${path}`).toSorted()).toEqual([
      `checksum ${changed}`,
      "extra parquet/current/core/stray.parquet",
      `missing ${gone}`,
    ])
    const output = await typed(["verify", "--data-dir", dataDir])
    expect(output.code).toBe(4)
    expect(output.stdout).toMatch(new RegExp(`^missing +${gone} `, "m"))
    expect(output.stderr).toContain("3 findings")
    expect(output.stderr).toContain("`vaulthouse publish --all`")

    const mended = await typed(["publish", "--all", "--data-dir", dataDir])
    expect(mended.stdout).toMatch(
      /^Published in \S+ as of [-\d]+ [:\d]+ UTC: [\d,]+ rows in \d+ Parquet files/,
    )
    expect(mended.code).toBe(0)
    expect((await typed(["verify", "--data-dir", dataDir])).code).toBe(0)
  })
})
