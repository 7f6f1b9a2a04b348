// Each check of warehouse/checks does what its YAML file says, and those that follow from the tables find what
// breaks their rule.
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { tableName } from "../../src/domain/table/table.ts"
import { checksDirectory, sqlChecks } from "../../src/load/checks/sqlChecks.ts"
import { martChecks } from "../../src/load/checks/martChecks.ts"
import { tableChecks } from "../../src/load/checks/tableChecks.ts"
import { readTests } from "../../src/load/sql/warehouseFile.ts"
import { CATALOG } from "../../src/load/sql/sql.ts"
import { tables as catalogTables } from "../../src/pipelines/pipelines.ts"
import {
  stopClock,
  openWarehouse,
  putGiven,
  readRows,
  tables,
  type TestWarehouse,
} from "./support.ts"

let warehouse: TestWarehouse
beforeAll(async () => {
  warehouse = await openWarehouse()
})
afterAll(() => warehouse.close())

const offenders = async (sql: string) => {
  await warehouse.connection.run(`USE ${CATALOG}`)
  const rows = await readRows(warehouse.connection, sql)
  await warehouse.connection.run("USE memory")
  return rows
}

/** Cells as text, so that what YAML writes as a day equals what DuckDB prints. */
const plain = (row: Readonly<Record<string, unknown>>, names: ReadonlyArray<string>) =>
  Object.fromEntries(names.map((name) => [name, String(row[name])]))

const all = { since: undefined }

/** What follows from a publication is tested with one: test/pipelines/defects.test.ts. */
const ofRows = sqlChecks.filter(
  ({ needs }) => !needs.some((table) => table.startsWith("mart_tables.")),
)

describe.each(ofRows)("warehouse/checks/$name", (check) => {
  const tests = readTests(checksDirectory, check.name)

  it.each(tests)("$name", async (test) => {
    await putGiven(warehouse.connection, test.given)
    await stopClock(warehouse.connection, test.now ?? "2027-01-01 00:00:00")
    const rows = await offenders(`select * from (${check.sql(all)}) order by all`)
    const expected = test.expect.map((row) => plain(row, Object.keys(row)))
    const actual = rows.map((row, index) => plain(row, Object.keys(test.expect[index] ?? row)))
    expect(actual).toEqual(expected)
  })

  it("has rows that pass and rows that fail in its tests, and needs tables there are", () => {
    const given = tests.flatMap(({ given: of }) => Object.values(of).flat())
    const failing = tests.flatMap(({ expect: of }) => of)
    expect(failing.length).toBeGreaterThan(0)
    expect(given.length).toBeGreaterThan(failing.length)
    expect(tables.map(tableName)).toEqual(expect.arrayContaining([...check.needs]))
  })

  it("checks only what was written since, where it can", async () => {
    if (!check.isIncremental) return
    for (const { given } of tests) {
      await putGiven(warehouse.connection, given)
      // Required columns that a test leaves out are of 1970.
      expect(await offenders(check.sql({ since: 1_000_000 }))).toEqual([])
    }
  })
})

it("a comparison over all of history has the tolerance that mart.comparisons declares for its newest pair", async () => {
  const declared = await readRows(
    warehouse.connection,
    `SELECT relative_tolerance FROM ${CATALOG}.mart.comparisons
     WHERE comparison = 'backing_supply_collateral_ratio'`,
  )
  const identity = sqlChecks.find(({ name }) => name === "ratio_identity")
  expect(declared).toEqual([{ relative_tolerance: identity?.tolerance }])
})

const checks = new Map(tableChecks(catalogTables).map((check) => [check.name, check]))

const found = async (name: string, scope: { since: number | undefined } = all) => {
  const check = checks.get(name)
  if (check === undefined) throw new Error(`there is no check ${name}`)
  return offenders(check.sql(scope))
}

const known = {
  "ops.runs": [{ run_id: "r" }],
  "raw.responses": [{ response_id: "p", run_id: "r", is_landed: true }],
}
const point = { _run_id: "r", _response_id: "p", _updated_at: "2026-01-01 12:00:00" }

describe("checks that follow from the tables", () => {
  it("run on every table, and pass on empty ones", async () => {
    await putGiven(warehouse.connection, {})
    for (const check of checks.values()) {
      expect(await offenders(check.sql(all)), check.name).toEqual([])
      expect(await offenders(check.sql({ since: 1_000_000 })), check.name).toEqual([])
    }
    for (const table of tables)
      expect([...checks.keys()]).toContain(`${tableName(table)}.unique_key`)
  })

  it("find a key twice, also where only one of the two rows is new", async () => {
    const row = { vault_address: "a", observed_at: "2026-01-01 10:00:00", ...point }
    await putGiven(warehouse.connection, {
      "core.ratio_history": [
        { ...row, _updated_at: "2026-01-01 00:00:00" },
        row,
        { ...row, vault_address: "b" },
      ],
    })
    const twice = [{ vault_address: "a", observed_at: "2026-01-01 10:00:00", rows: "2" }]
    expect(await found("core.ratio_history.unique_key")).toEqual(twice)
    const noon = Date.UTC(2026, 0, 1, 12) * 1000
    expect(await found("core.ratio_history.unique_key", { since: noon })).toEqual(twice)
    expect(await found("core.ratio_history.unique_key", { since: noon + 1 })).toEqual([])
  })

  it("find a response, a run and a vault nobody knows, and a time beyond the answer's", async () => {
    await putGiven(warehouse.connection, {
      ...known,
      "core.vaults": [{ vault_address: "a" }],
      "core.ratio_history": [
        { vault_address: "a", observed_at: "2026-01-01 12:59:00", ...point },
        { vault_address: "a", observed_at: "2026-01-01 09:00:00", ...point, _run_id: "?" },
        { vault_address: "a", observed_at: "2026-01-01 10:00:00", ...point, _response_id: "?" },
        { vault_address: "b", observed_at: "2026-01-01 11:00:00", ...point },
        { vault_address: "a", observed_at: "2026-01-01 13:01:00", ...point },
      ],
    })
    const at = async (rule: string) =>
      (await found(`core.ratio_history.${rule}`)).map((row) => String(row["observed_at"]).slice(11))
    expect(await at("run_known")).toEqual(["09:00:00"])
    expect(await at("response_known")).toEqual(["10:00:00"])
    expect(await at("vault_known")).toEqual(["11:00:00"])
    expect(await at("not_in_future")).toEqual(["13:01:00"])
  })

  it("find no response missing of rows that none gave, though none is known", async () => {
    await putGiven(warehouse.connection, {
      "core.swaps": [{ ...point, _response_id: null }],
    })
    expect(await found("core.swaps.response_known")).toEqual([])
  })

  it("find two current rows, an end before its start, an overlap, and an end of what is current", async () => {
    const vault = { chain_id: 1, status: "active" }
    const day = (n: number) => `2026-01-0${n} 00:00:00`
    const row = (name: string, from: number, to: number | null, current: boolean) => ({
      ...vault,
      vault_address: name,
      valid_from: day(from),
      valid_to: to === null ? null : day(to),
      is_current: current,
    })
    await putGiven(warehouse.connection, {
      "core.vaults": [
        row("good", 1, 2, false),
        row("good", 2, null, true),
        row("ended", 1, 2, false),
        row("two", 1, null, true),
        row("two", 2, null, true),
        row("backwards", 3, 2, false),
        row("overlap", 1, 4, false),
        row("overlap", 3, null, true),
        row("undead", 1, 2, true),
      ],
    })
    expect(await found("core.vaults.one_current")).toEqual([
      { chain_id: "1", vault_address: "two", current_rows: "2" },
    ])
    const broken = await found("core.vaults.intervals")
    expect(new Set(broken.map((each) => each["vault_address"]))).toEqual(
      new Set(["backwards", "overlap", "two", "undead"]),
    )
  })

  it("find a version that was superseded before it was written", async () => {
    const version = { vault_address: "a", observed_at: "2026-01-01", ...point }
    await putGiven(warehouse.connection, {
      "core.ratio_history_versions": [
        { ...version, _superseded_at: "2026-01-01 13:00:00" },
        { ...version, _superseded_at: "2026-01-01 11:00:00" },
      ],
    })
    const rows = await found("core.ratio_history_versions.superseded_later")
    expect(rows.map((row) => row["_superseded_at"])).toEqual(["2026-01-01 11:00:00"])
  })
})

it("a negative principal is implausible where it is read, and no error of the marts that add it up", async () => {
  const loan = (loan_id: string, principal_amount: number) => ({
    loan_id,
    chain_id: 1,
    state: "ACTIVE",
    lender_address: loan_id,
    principal_token_address: "t",
    principal_amount,
    valid_from: "2026-01-01",
    ...point,
    matures_at: `2026-01-1${loan_id}`,
    is_current: true,
  })
  await putGiven(warehouse.connection, { ...known, "core.loans": [loan("1", 100), loan("9", -10)] })
  await stopClock(warehouse.connection, "2026-01-10 12:00:00")
  const broken: Array<readonly [string, string]> = []
  for (const { name, needs, severity, sql } of [...checks.values(), ...martChecks]) {
    if (!needs.some((each) => /^(core|mart)\.loan/.test(each))) continue
    if ((await offenders(sql(all))).length > 0) broken.push([name, severity])
  }
  expect(broken).toEqual([["core.loans.plausible_range", "warn"]])
})
