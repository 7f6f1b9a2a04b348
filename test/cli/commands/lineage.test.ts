// Where figures come from and what runs did: runs, diff and trace, after a first sync, a restated one, and one
// without news.
import { createHash } from "node:crypto"
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type Simulator, startSimulator } from "../../../simulator/index.ts"
import { marts } from "../../../src/load/marts/marts.ts"
import type { RunHistory, RunReport } from "../../../src/pipelines/readers/runs.ts"
import type { Trace } from "../../../src/pipelines/readers/trace/trace.ts"
import type { Found } from "../../../src/cli/commands/diff/texts.ts"
import { traceText } from "../../../src/cli/commands/trace/texts.ts"
import { queryFile } from "../../support/warehouseRun.ts"
import { warmReaders } from "../../support/processes/warmReaders.ts"
import { type Around, unwrapped, vaulthouse } from "../command.ts"

let cwd = ""
let simulator: Simulator
let vault = ""
let runIds: ReadonlyArray<string> = []

const typed = (args: ReadonlyArray<string>, around: Partial<Around> = {}) =>
  vaulthouse(args, { cwd, ...around })

const json = async <A>(args: ReadonlyArray<string>): Promise<A> => {
  const { code, stdout, stderr } = await typed([...args, "--json"])
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" })
  return JSON.parse(stdout) as A
}

/** What is published, without a process for each query. */
const rows = (sql: string) =>
  Effect.runPromise(queryFile(join(cwd, "data/published/vaulthouse.duckdb"), sql))

warmReaders()
beforeAll(async () => {
  cwd = mkdtempSync(join(tmpdir(), "vaulthouse-lineage-"))
  simulator = await startSimulator({ now: "2026-06-01T12:00:00Z", days: 12, vaults: 3 })
  const names = ["vaults", "ratio_history", "pnl_history", "apy_history", "allocation_history"]
  const sync = ["sync", ...names, "--base-url", simulator.url, "--no-progress"]
  expect((await typed(sync)).code).toBe(0)
  simulator.patch({ now: "2026-06-02T12:00:00Z", revision: 1 })
  expect((await typed(sync)).code).toBe(0)
  const history = await json<RunHistory>(["runs"])
  runIds = history.runs.map(({ run_id }) => run_id)
  // A vault whose points were restated.
  const [restated] = await rows(
    "select vault_address from core.ratio_history_versions group by all order by count(*) desc limit 1",
  )
  vault = String(restated?.["vault_address"])
})
afterAll(async () => {
  await simulator.close()
  rmSync(cwd, { recursive: true })
})

describe("runs", () => {
  it("lists every run, the newest first", async () => {
    const { code, stdout } = await typed(["runs"])
    expect(code).toBe(0)
    expect(runIds).toHaveLength(2)
    expect(
      stdout
        .split("\n")
        .slice(1, 3)
        .map((line) => line.split(" ")[0]),
    ).toEqual(runIds)
    expect(stdout).toMatch(/ sync .* complete /)
    const { stdout: one } = await typed(["runs", "--max-rows", "1"])
    expect(one).toContain(runIds[0])
    expect(one).not.toContain(`\n${runIds[1]}`)
    expect(one).toContain("(1 older, --max-rows shows more)")
  })

  it("shows one: its tasks add up to what it did", async () => {
    const report = await json<RunReport>(["runs", "show", "last"])
    const sum = (name: string) => report.tasks.reduce((all, task) => all + Number(task[name]), 0)
    expect(report.run.run_id).toBe(runIds[0])
    expect(sum("rows_inserted")).toBe(report.run["rows_inserted"])
    expect(sum("rows_revised")).toBe(report.run["rows_revised"])
    expect(sum("requests")).toBe(report.run["requests"])
    expect(sum("rows_revised")).toBeGreaterThan(0)
    const { stdout } = await typed(["runs", "show", runIds[0]?.slice(0, -1) ?? ""])
    expect(stdout).toContain(`Run ${runIds[0]}: \`sync`)
    expect(stdout).toMatch(/^ratio_history +loaded +\d/m)
  })

  it("shows errors in full and the quarantine of a run that met them", async () => {
    const dataDir = join(cwd, "broken")
    const broken = await startSimulator({
      now: "2026-06-01T12:00:00Z",
      days: 3,
      vaults: 2,
      faults: [{ kind: "contract-break", match: "/unrealized_pnl?vault=" }],
    })
    const service = ["--base-url", broken.url, "--no-progress", "--data-dir", dataDir]
    const { code } = await typed(["sync", "vaults", "pnl_history", ...service])
    await broken.close()
    expect(code).toBe(3)
    const report = await json<RunReport>(["runs", "show", "last", "--data-dir", dataDir])
    expect(report.errors.map(({ outcome }) => outcome)).toEqual(["quarantined", "quarantined"])
    expect(report.quarantine).toHaveLength(2)
    const { stdout } = await typed(["runs", "show", "last", "--data-dir", dataDir])
    expect(stdout).toContain("quarantined (2):\n  pnl_history  0x")
    for (const { error_text: text } of report.errors) expect(stdout).toContain(String(text))
    expect(stdout).toMatch(/^Quarantined by it:$/m)
  })

  it("mentions a last run that published nothing", async () => {
    const dataDir = join(cwd, "unpublished")
    cpSync(join(cwd, "data"), dataDir, { recursive: true, verbatimSymlinks: true })
    await typed([
      "sync",
      "vaults",
      "--base-url",
      simulator.url,
      "--no-progress",
      "--data-dir",
      dataDir,
      "--no-publish",
    ])
    const list = await typed(["runs", "--data-dir", dataDir])
    expect(list.stdout).toMatch(
      /^The last run is not in the published copy: \S+ \(sync[^)]*\): complete, ended /m,
    )
    const shown = await typed(["runs", "show", "last", "--data-dir", dataDir])
    expect(shown.stdout).toContain("is not in the published copy")
    expect(shown.stdout).toContain(`Run ${runIds[0]}`)
    const id = /The last run is not in the published copy: (\S+) /.exec(list.stdout)?.[1] ?? ""
    const named = await typed(["runs", "show", id, "--data-dir", dataDir])
    expect(named).toMatchObject({ code: 2, stdout: "" })
    expect(named.stderr).toContain(`run ${id} is not in the published copy.`)
  })

  const wrong: ReadonlyArray<readonly [ReadonlyArray<string>, string]> = [
    [["show"], "name a run."],
    [["shw", "last"], "is not a command"],
    [["show", "1999"], "there is no run 1999; the newest are "],
    [["show", "1998"], ".\n`vaulthouse runs` lists them"],
    [["show", "2"], "2 runs begin with 2: "],
    [["--max-rows", "few"], "--max-rows few"],
  ]
  it.each(wrong)("%j is explained", async (args, says) => {
    const { code, stdout, stderr } = await typed(["runs", ...args])
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" })
    expect(stderr).toContain(says)
  })

  it("an id mistyped by a digit is guessed", async () => {
    const id = runIds[0] ?? ""
    const other = id.endsWith("0") ? "1" : "0"
    const { stderr } = await typed(["runs", "show", `${id.slice(0, -1)}${other}`])
    expect(stderr).toContain(`did you mean \`${id}\`?`)
  })
})

describe("diff", () => {
  it("counts what the run itself counted", async () => {
    const found = await json<Found>(["diff", "last"])
    expect(found).toMatchObject({ from: runIds[1], to: runIds[0] })
    const [run] = (await json<RunHistory>(["runs"])).runs
    const sum = (name: "added" | "revised" | "ended") =>
      found.tables.reduce((all, table) => all + table[name], 0)
    expect(sum("added")).toBe(run?.["rows_inserted"])
    expect(sum("revised") + sum("ended")).toBe(run?.["rows_revised"])
  })

  it("is the same whichever run is named first", async () => {
    const [newer = "", older = ""] = runIds
    expect(await json(["diff", newer, older])).toEqual(await json(["diff", older, newer]))
  })

  it("shows old and new values, those the tables and their versions hold", async () => {
    const found = await json<Found>([
      "diff",
      "last",
      "--table",
      "ratio_history",
      "--vault",
      vault,
      "--max-rows",
      "1000",
    ])
    const revised = (found.rows ?? []).filter(({ change }) => change === "revised")
    const wanted = await rows(
      `select strftime(n.observed_at, '%Y-%m-%dT%H:%M') as at, o.actual_tvl as before, n.actual_tvl as after
       from core.ratio_history n join core.ratio_history_versions o using (vault_address, observed_at)
       where vault_address = '${vault}' order by 1`,
    )
    expect(wanted.length).toBeGreaterThan(0)
    expect(
      revised.map(({ key, before, after }) => ({
        at: String(key["observed_at"]).slice(0, 16),
        before: before["actual_tvl"],
        after: after["actual_tvl"],
      })),
    ).toEqual(wanted)
    const first = revised[0]
    expect(Object.keys(first?.after ?? {})).not.toContain("chain_id")
  })

  it("prints a summary, and rows with --table", async () => {
    const { stdout } = await typed(["diff", "last"])
    expect(stdout).toMatch(/^core\.ratio_history +\d+ +\d+ +0$/m)
    expect(stdout).toContain("--as-of")
    const { stdout: listed } = await typed([
      "diff",
      "last",
      "--table",
      "core.ratio_history",
      "--max-rows",
      "2",
    ])
    expect(listed).toMatch(/^vault address +observed at +column +before +after/m)
    expect(listed).toMatch(/\(2 of \d+ rows; --max-rows shows more\)/)
  })

  const wrong: ReadonlyArray<readonly [ReadonlyArray<string>, string]> = [
    [[], "name one run or two"],
    [["last", "last", "last"], "name one run or two"],
    [["last", "--table", "mart.nothing"], "there is no mart `mart.nothing`"],
    [["2020-01-01", "--table", "mart.clock"], "nothing was known at 2020-01-01"],
    [["last", "--table", "ratio_histroy"], "did you mean `ratio_history`?"],
    [
      ["last", "--table", "subaccounts", "--vault", "0x4a7425438d10c2ca3c674b68182725337ed5c1ca"],
      "is not about vaults",
    ],
    [["last", "--vault", "0x12"], "--vault 0x12"],
  ]
  it.each(wrong)("%j is explained", async (args, says) => {
    const { code, stdout, stderr } = await typed(["diff", ...args])
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" })
    expect(stderr).toContain(says)
  })
})

describe("trace of a figure of risk", () => {
  it.each([
    ["return_7d", 2],
    ["max_drawdown", 2],
    ["collateral_ratio_low", 1],
  ] as const)("%s: the %i points that it is made of", async (column, points) => {
    const trace = await json<Trace>([
      "trace",
      "vault_performance",
      "--vault",
      vault,
      "--column",
      column,
    ])
    const [row] = await rows(
      `select ${column} as figure, to_on::varchar as to_on from mart.vault_performance where vault_address = '${vault}'`,
    )
    const facts = trace.origins.flatMap(({ facts: of }) => of)
    const ratios = facts
      .toSorted((one, other) =>
        String(one.key["observed_at"]).localeCompare(String(other.key["observed_at"])),
      )
      .map(({ values }) => Number(values["adjusted_redeem_ratio"]))
    expect(ratios).toHaveLength(points)
    const [low, high] = [Math.min(...ratios), Math.max(...ratios)]
    const figures = { max_drawdown: 1 - low / high, collateral_ratio_low: low }
    const expected =
      column === "return_7d" ? (ratios[1] ?? 0) / (ratios[0] ?? 0) - 1 : figures[column]
    expect(row?.["figure"]).toBeCloseTo(expected, 12)
  })
})

describe("what was known at an instant", () => {
  const asOf = async (instant: string, sql: string) => {
    const { code, stdout, stderr } = await typed([
      "query",
      "--as-of",
      instant,
      "--format",
      "json",
      sql,
    ])
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" })
    return JSON.parse(stdout) as ReadonlyArray<Record<string, unknown>>
  }
  const startOf = async (at: number) =>
    String((await json<RunHistory>(["runs"])).runs[at]?.started_at)

  it("query --as-of reads tables and marts under any spelling, parameters and steps too", async () => {
    const before = await startOf(0)
    const [then] = await asOf(
      before,
      `-- mart.vault_daily, core.ratio_history
       with mine as (select v.* from "mart".Vault_Daily v)
       select count(*)::int as days, max(mine.day)::varchar as last,
         (select count(*)::int from core.ratio_history) as points, 'mart.clock' as text,
         (select min(now_at)::varchar from mart.clock) as clock
       from mine`,
    )
    const [now] = await rows(
      "select (select count(*)::int from core.ratio_history) as points, max(day)::varchar as last from mart.vault_daily",
    )
    const [kept] = await rows(
      `select count(*)::int as points from mart.ratio_history_as_of(timestamp '${before.replace("Z", "")}')`,
    )
    expect(then).toMatchObject({ last: "2026-06-01", points: kept?.["points"], text: "mart.clock" })
    expect(now).toMatchObject({ last: "2026-06-02" })
    expect(Number(now?.["points"])).toBeGreaterThan(Number(then?.["points"]))
    expect(Date.parse(`${String(then?.["clock"])}Z`)).toBe(Date.parse(before))
  })

  it("query --as-of reads a mart with parameters, whatever its arguments look like", async () => {
    const before = await startOf(0)
    const figures = (rows_: ReadonlyArray<Readonly<Record<string, unknown>>>) =>
      rows_.map(({ vault_address: of, last_on: on, ratio_days: days }) => [of, on, Number(days)])
    const sql = (to: string) =>
      `select * from mart.vault_period ( date '2026-05-30', ${to} ) order by vault_address`
    const then = figures(await asOf(before, sql("least(date '2026-06-30', '2026-07-01')")))
    const now = figures(await rows(sql("date '2026-06-30'")))
    const kept = figures(await rows(sql("(date '2026-06-01' /* ) */)")))
    expect(then.map(([, on]) => on)).toEqual(kept.map(([, on]) => on))
    expect(now).not.toEqual(then)
    // The last day is that which was the last then.
    const read = figures(await asOf(before, sql("(select max(day) from mart.vault_daily)")))
    expect(read.map(([, on]) => on)).toEqual(then.map(([, on]) => on))
    const [twice] = await asOf(
      before,
      `select count(*)::int as n from mart.vault_period(null, null) p
       join mart.vault_period(null, date '2026-05-31') using (vault_address)`,
    )
    expect(twice).toEqual({ n: then.length })
  })

  it("diff of a mart lists what the newer run changed in it, with both values", async () => {
    const found = await json<Found>([
      "diff",
      "last",
      "--table",
      "mart.vault_daily",
      "--vault",
      vault,
      "--max-rows",
      "1000",
    ])
    const sql = `select day::varchar as day, backing from mart.vault_daily where vault_address = '${vault}' order by 1`
    const then = new Map(
      (await asOf(await startOf(0), sql)).map(({ day, backing }) => [day, backing]),
    )
    const now = new Map((await rows(sql)).map(({ day, backing }) => [day, backing]))
    const differing = [...then].filter(([day, backing]) => now.get(day) !== backing)
    expect(differing.length).toBeGreaterThan(0)
    const revised = (found.rows ?? []).filter(({ change }) => change === "revised")
    expect(
      revised
        .filter(({ after }) => "backing" in after)
        .map(({ key, before, after }) => [
          String(key["day"]).slice(0, 10),
          before["backing"],
          after["backing"],
        ]),
    ).toEqual(differing.map(([day, backing]) => [day, backing, now.get(day)]))
    expect(found.tables).toMatchObject([{ table: "mart.vault_daily", ended: 0 }])
    expect((found.rows ?? []).filter(({ change }) => change === "new")).toHaveLength(
      now.size - then.size,
    )
    const { stdout } = await typed(["diff", await startOf(0), "--table", "mart.vault_daily"])
    expect(stdout).toMatch(/^mart\.vault_daily +\d+ +\d+ +0$/m)
  })

  it("report --as-of is of the days that were over then, and says so", async () => {
    const before = await startOf(0)
    const { code, stderr } = await typed([
      "report",
      "--as-of",
      before,
      "--days",
      "3",
      "--to",
      "2026-05-31",
    ])
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" })
    const page = readFileSync(join(cwd, "report.html"), "utf8")
    expect(page).toContain(`as it was known at ${before}`)
    expect(page).toContain(`${runIds[1]}, as it`)
    expect(page).toContain("2026-05-29 to 2026-05-31")
  })

  const refused: ReadonlyArray<readonly [ReadonlyArray<string>, string]> = [
    [
      ["--as-of", "2020-01-01", "select 1"],
      "nothing was known at 2020-01-01T00:00:00.000Z: the first run began",
    ],
    [["--as-of", "2200-01-01", "select 1"], "is in the future"],
    [["--as-of", "yesterday", "select 1"], "--as-of yesterday is not an instant"],
    [["--as-of", "last", "select 1"], "is not an instant"],
  ]
  it.each(refused)("query %j says why", async (args, says) => {
    const { code, stdout, stderr } = await typed(["query", ...args])
    expect({ stdout, isRefused: code !== 0 }).toEqual({ stdout: "", isRefused: true })
    expect(stderr).toContain(says)
  })

  it("query --as-of refuses what a query refuses, and what it can't take back in time", async () => {
    const instant = await startOf(0)
    for (const [sql, says] of [
      ["select * from read_csv('/etc/passwd')", "can't use read_csv()"],
      ["select 1; select 2", "there are 2 statements; run them one at a time"],
      ["drop view mart.clock", "one SELECT"],
      ["from mart.vault_period(null)", "needs its 2 parameters in order: from_day, to_day"],
      ["select * from mart.clock, query('select 1')", "can't use query()"],
      ["describe mart.vault_latest", "DESCRIBE and SUMMARIZE read no table as of an instant"],
      ["from (summarize core.vaults)", "DESCRIBE and SUMMARIZE read no table as of an instant"],
    ]) {
      const { code, stdout, stderr } = await typed(["query", "--as-of", instant, sql ?? ""])
      expect({ stdout, isRefused: code !== 0 }, sql).toEqual({ stdout: "", isRefused: true })
      expect(stderr, sql).toContain(says)
    }
  })
})

describe("trace", () => {
  const explained = marts.filter(({ from }) => from !== undefined)
  const names = ["apy_daily", "vault_latest", "vault_daily", "vault_hourly"]

  it("daily and hourly marts record the source of every column", () => {
    const silent = explained
      .filter(({ name }) => ["apy_daily", "vault_daily", "vault_hourly"].includes(name))
      .flatMap(({ name, columns, key, from }) =>
        columns
          .map((column) => column.name)
          .filter((column) => !key.includes(column))
          .filter((column) => !(from ?? []).some((source) => column in source.columns))
          .map((column) => `${name}.${column}`),
      )
    expect(silent).toEqual([])
    expect(explained.map(({ name }) => name)).toEqual(expect.arrayContaining(names))
  })

  it.each(names)("%s: each figure is that of the row it is traced to", async (name) => {
    const found = await json<Trace>(["trace", name, "--vault", vault])
    const compared: Array<string> = []
    for (const { columns, facts, more } of found.origins) {
      const [fact] = facts
      if (fact === undefined || facts.length + more > 1) continue
      for (const [column, field] of Object.entries(columns)) {
        // Ages, counts and shares are made from a value, they are not it.
        if (/_age_|hours_|_share$|_hhi$/.test(column) || typeof field !== "string") continue
        expect({ [column]: fact.values[field] }).toEqual({ [column]: found.values[column] })
        compared.push(column)
      }
    }
    expect(compared.length).toBeGreaterThan(0)
  })

  it("follows a restated point to both responses, and into the body", async () => {
    const [restated] = await rows(
      `select strftime(v.observed_at, '%Y-%m-%dT%H:%M:%S') as at, v.actual_tvl as was, r.actual_tvl as "is", r._response_id as response
       from core.ratio_history_versions v join core.ratio_history r using (vault_address, observed_at)
       where vault_address = '${vault}' and v.actual_tvl <> r.actual_tvl order by 1 limit 1`,
    )
    const found = await json<Trace>([
      "trace",
      "core.ratio_history",
      "--vault",
      vault,
      "--at",
      String(restated?.["at"]),
      "--body",
    ])
    const [fact] = found.origins[0]?.facts ?? []
    expect(fact?.values["actual_tvl"]).toBe(restated?.["is"])
    expect(fact?.superseded.map((version) => version["actual_tvl"])).toEqual([restated?.["was"]])
    expect(fact?.superseded[0]).toMatchObject({
      _run_id: runIds[1],
      _superseded_by_run_id: runIds[0],
    })
    expect(fact?.run?.["run_id"]).toBe(runIds[0])
    expect(fact?.response).toMatchObject({
      response_id: restated?.["response"],
      endpoint: "unrealized_pnl_ratio",
      status: 200,
    })
    expect(fact?.fragment?.value).toMatchObject({ actual_tvl: restated?.["is"] })
    // The same request again gets a body with the stored hash, with the point where trace found it.
    const body = await (await fetch(String(fact?.response?.["url"]))).text()
    expect(createHash("sha256").update(body).digest("hex")).toBe(fact?.response?.["body_sha256"])
    const index = Number(/\[(\d+)\]$/.exec(fact?.fragment?.path ?? "")?.[1])
    expect((JSON.parse(body) as ReadonlyArray<unknown>)[index]).toEqual(fact?.fragment?.value)
  })

  it("finds a day of a chart, which is two parallel arrays", async () => {
    const found = await json<Trace>([
      "trace",
      "vault_daily",
      "--vault",
      vault,
      "--date",
      "2026-06-01",
      "--column",
      "apy_smoothed",
      "--body",
    ])
    const [fact] = found.origins[0]?.facts ?? []
    expect(fact?.fragment?.path).toMatch(/^\$\.labels\[(\d+)\], \$\.values\[\1\]$/)
    expect(fact?.fragment?.value).toEqual({
      labels: "6/1/2026",
      values: found.values["apy_smoothed"],
    })
  })

  it("prints the way back", async () => {
    const { code, stdout } = await typed([
      "trace",
      "vault_daily",
      "--vault",
      vault,
      "--date",
      "2026-06-01",
      "--column",
      "collateral_ratio_low",
      "--body",
    ])
    expect(code).toBe(0)
    expect(stdout).toMatch(/^mart\.vault_daily {2}vault_address 0x\w+ {2}day 2026-06-01$/m)
    expect(stdout).toMatch(/^← core\.ratio_history$/m)
    expect(stdout).toMatch(/^ +run +\d{8}T\d{9}Z-\w{6}: `sync/m)
    expect(stdout).toMatch(/^ +GET http:.*fields=ratio/m)
    expect(stdout).toMatch(/^ +raw\/\S+\.ndjson\.zst, frame at byte \d+; sha256 [0-9a-f]{64}$/m)
    expect(stdout).toMatch(/^ +body +\$\[\d+\]/m)
  })

  it("fits a terminal of 80 columns, with the zone of every time", async () => {
    const hour = ["--vault", vault, "--at", "2026-06-01T10"]
    const { code, stdout } = await typed(["trace", "ratio_history", ...hour], { columns: 80 })
    expect(code).toBe(0)
    expect(stdout.split("\n").filter((line) => line.length > 80)).toEqual([])
    expect(unwrapped(stdout)).toMatch(
      / loaded first at \S+ \S+ UTC, with these values since \S+ \S+ UTC /,
    )
    const times = unwrapped(stdout).match(/\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\S*(?: UTC)?/g) ?? []
    expect(times.length).toBeGreaterThan(3)
    expect(times.filter((time) => !time.endsWith(" UTC"))).toEqual([])
    const changed = await typed(["diff", "last"], { columns: 80 })
    expect(changed.stdout.split("\n").filter((line) => line.length > 80)).toEqual([])
  })

  it("of several versions within the time that was typed names each, and how to choose", async () => {
    const place = ["--data-dir", "versions"]
    const sync = ["sync", "vault_details", "--base-url", simulator.url, "--no-progress", ...place]
    expect((await typed(sync)).code).toBe(0)
    simulator.patch({ now: "2026-06-03T12:00:00Z" })
    expect((await typed(sync)).code).toBe(0)
    simulator.patch({ now: "2026-06-02T12:00:00Z" })
    const [changed] = await Effect.runPromise(
      queryFile(
        join(cwd, "versions/published/vaulthouse.duckdb"),
        `select vault_address, max(valid_from)::date::varchar as day
         from core.vault_detail_metrics group by all having count(*) = 2 limit 1`,
      ),
    )
    const ofVault = ["--vault", String(changed?.["vault_address"]), ...place]
    const trace = ["trace", "vault_detail_metrics", ...ofVault]
    const several = await typed([...trace, "--date", String(changed?.["day"])])
    expect(several.code).toBe(2)
    const said = unwrapped(several.stderr)
    expect(said).toMatch(
      /2 rows of core\.\w+ match: they differ in valid_from \(valid_from: 2[^,]+Z, 2[^,]+Z\)/,
    )
    const [, at = ""] = /for example with --at (\S+Z)/.exec(said) ?? []
    const one = await typed([...trace, "--at", at])
    expect({ code: one.code, stderr: one.stderr }).toEqual({ code: 0, stderr: "" })
  })

  it("knows a vault by its name, and writes a chain as it is written", async () => {
    const [named] = await rows(
      `select vault_name, chain_id from core.vaults where is_current and vault_address = '${vault}'`,
    )
    const name = String(named?.["vault_name"])
    const traced = (of: string) => ["trace", "vault_latest", "--vault", of, "--column", column]
    const column = "reported_tvl"
    const byName = await json<Trace>(traced(name))
    const byAddress = await json<Trace>(traced(vault))
    expect(byName.key).toEqual(byAddress.key)
    expect(byName.origins).toEqual(byAddress.origins)
    const { stdout } = await typed(traced(name))
    expect(stdout).toContain(`mart.vault_latest  chain_id ${String(named?.["chain_id"])}  `)
    expect(
      traceText(
        { ...byName, key: { chain_id: 43114 } },
        { withBody: false, pathOf: (file) => file },
      ),
    ).toContain("chain_id 43114")
    const { code, stderr } = await typed(traced(name.slice(0, -1)))
    expect(code).toBe(2)
    expect(stderr).toContain("is neither an address nor the name of a vault")
  })

  it("traces both sides of a comparison, and no other comparison", async () => {
    const sides = async (comparison: string, column: string) => {
      const whose = ["--vault", vault, "--key", `comparison=${comparison}`]
      const args = ["trace", "reconciliation", ...whose, "--column", column]
      const found = await json<Trace>(args)
      return found.origins.map(({ table, columns, facts }) => ({
        table,
        columns,
        hasRows: facts.length > 0,
      }))
    }
    expect(await sides("backing_supply_collateral_ratio", "left_value")).toEqual([
      {
        table: "core.ratio_history",
        columns: { left_value: ["actual_tvl", "tvl_on_vault"] },
        hasRows: true,
      },
    ])
    expect(await sides("backing_supply_collateral_ratio", "tolerance")).toEqual([
      {
        table: "core.ratio_history",
        columns: { tolerance: "adjusted_redeem_ratio" },
        hasRows: true,
      },
    ])
  })

  it("will not show a body that was changed", async () => {
    const dataDir = join(cwd, "changed")
    cpSync(join(cwd, "data"), dataDir, { recursive: true, verbatimSymlinks: true })
    for (const file of readdirSync(join(dataDir, "raw"))) {
      const path = join(dataDir, "raw", file)
      const bytes = readFileSync(path)
      for (let at = 200; at < bytes.length; at += 500) bytes[at] = (bytes[at] ?? 0) ^ 1
      writeFileSync(path, bytes)
    }
    const args = ["trace", "ratio_history", "--vault", vault, "--data-dir", dataDir]
    const { code, stdout, stderr } = await typed([...args, "--body"])
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" })
    expect(stderr).toMatch(/response archive .* is damaged/)
    expect((await typed(args)).code).toBe(0)
  })

  const wrong: ReadonlyArray<readonly [ReadonlyArray<string>, ReadonlyArray<string>]> = [
    [[], ["name a mart or a table"]],
    [["vault_dayly"], ["did you mean `vault_daily`?"]],
    [["completeness"], ["does not record which rows", "vault_latest"]],
    [["vault_daily", "--column", "apy_smothed", "--vault", "V"], ["did you mean `apy_smoothed`?"]],
    [["vault_daily", "--column", "day", "--vault", "V"], ["part of the key"]],
    [
      ["vault_daily", "--vault", "V", "--date", "2020-01-01"],
      ["has no row", "2020-01-01", "The nearest is"],
    ],
    [
      ["vault_daily", "--vault", `0x${"1".repeat(40)}`],
      ["has no row", "mart.vault_latest"],
    ],
    [
      ["vault_daily", "--date", "2026-06-01"],
      ["rows of mart.vault_daily", "--vault 0x"],
    ],
    [["vault_latest"], ["chain_id and vault_address", "--vault 0x"]],
    [
      ["ratio_history", "--vault", "V", "--date", "2026-06-01"],
      ["24 rows", "--at 2026-06-01T"],
    ],
    [
      ["apy_history", "--vault", "V", "--date", "2026-06-01"],
      ["is_smoothed", "--key is_smoothed="],
    ],
    [["ratio_history", "--at", "noon"], ["--at noon is not a time"]],
    [["ratio_history", "--date", "2026-02-30"], ["is not a day"]],
    [["ratio_history", "--date", "2026-02-03", "--at", "2026-02-03T01"], ["not both"]],
    [
      ["vault_latest", "--vault", "V", "--date", "2026-06-01"],
      ["has no row of 2026-06-01", "Leave out the time"],
    ],
    [["ratio_history", "--key", "day"], ["--key day is not of the form"]],
    [["ratio_history", "--vault", "V", "--key", "nosuch=1"], ["no column `nosuch`"]],
  ]
  it.each(wrong)("%j is explained", async (args, says) => {
    const filled = args.map((arg) => (arg === "V" ? vault : arg))
    const { code, stdout, stderr } = await typed(["trace", ...filled])
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" })
    for (const part of says) expect(stderr).toContain(part)
    expect(stderr.trim().split("\n").length).toBeLessThanOrEqual(3)
  })
})
