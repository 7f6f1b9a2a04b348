// Every mart, check and worked question answers, whatever figures the service has sent: a total loss, a loss of
// more than all, nothing, numbers beyond all measure. One of them must not take the others' answers away.
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { allColumns } from "../../src/domain/table/table.ts"
import { sqlChecks } from "../../src/load/checks/sqlChecks.ts"
import { marts } from "../../src/load/marts/marts.ts"
import { storedMarts } from "../../src/load/marts/storedMarts.ts"
import { CATALOG, identifier, qualified } from "../../src/load/sql/sql.ts"
import {
  openWarehouse,
  putGiven,
  readRows,
  stopClock,
  tables,
  type TestWarehouse,
} from "./support.ts"

const folder = join(import.meta.dirname, "../../warehouse/examples")
const examples = readdirSync(folder)
const odd = ["-1.2", "-1", "0", "1e200", "-1e200", "1e-300"]

/** Those that read what a publication stores have nothing to read here. */
const checks = sqlChecks.filter(({ needs }) =>
  needs.every((table) => !table.startsWith("mart_tables.")),
)

const statements: ReadonlyArray<readonly [name: string, sql: string]> = [
  ...checks.map(({ name, sql }) => [name, sql({ since: undefined })] as const),
  ...examples.map((file) => [file, readFileSync(join(folder, file), "utf8")] as const),
]

/**
 * They leave odd figures out by their own words. `pnl_price` compares with the vault's usual price, and where most figures are
 * odd no price is usual: it says nothing then rather than of half of them; `level_jump` and `pnl_against_nav` do.
 * `apy_smoothing` looks for series that are equal in every figure, and each series has odd figures of its own.
 */
const mayBeEmpty = new Set([
  "collateral-deficits.sql",
  "vault-correlations.sql",
  "pnl_price",
  "apy_smoothing",
])

/** How many rows each has without odd figures. */
const plain = new Map<string, number>()

let warehouse: TestWarehouse
beforeAll(async () => {
  warehouse = await openWarehouse()
  const { connection } = warehouse
  await connection.run(`USE ${CATALOG}`)
  await connection.run(readFileSync(join(import.meta.dirname, "generated.sql"), "utf8"))
  await stopClock(connection, "2026-03-30 12:00:00")
  // As a publication makes them.
  await connection.run("CREATE SCHEMA mart_tables")
  for (const { name } of storedMarts) {
    await connection.run(`CREATE TABLE mart_tables.${name} AS FROM mart.${name}`)
  }
  for (const [name, sql] of statements) plain.set(name, await rowsOf(sql))
  const cases = odd.map((figure, at) => `WHEN ${at} THEN ${figure}`).join(" ")
  for (const table of tables.filter(({ schema }) => schema === "core")) {
    for (const { name, type } of allColumns(table)) {
      if (type !== "double") continue
      const column = identifier(name)
      // Other rows of each column, and most of them as they were.
      const which = `(hash(rowid, '${name}') % 10)::INTEGER`
      await connection.run(
        `UPDATE ${qualified(table)} SET ${column} = CASE ${which} ${cases} ELSE ${column} END`,
      )
    }
  }
})
afterAll(() => warehouse.close())

const rowsOf = async (sql: string) =>
  (await warehouse.connection.runAndReadAll(sql)).currentRowCount

describe("with odd figures", () => {
  it.each(marts.map(({ name }) => name))("mart.%s answers", async (name) => {
    expect(await rowsOf(`SELECT * FROM mart.${identifier(name)}`)).toBeGreaterThan(0)
  })

  // Fails too where the statement does.
  it.each(statements)("%s answers, if it did before", async (name, sql) => {
    const hasRows = (await rowsOf(sql)) > 0
    expect(hasRows || plain.get(name) === 0 || mayBeEmpty.has(name)).toBe(true)
  })

  it("some check notices them", async () => {
    const found = await Promise.all(
      checks.map(({ name, sql }) =>
        rowsOf(sql({ since: undefined })).then((rows) => rows - (plain.get(name) ?? 0)),
      ),
    )
    expect(Math.max(...found)).toBeGreaterThan(0)
  })
})

describe("with a step beyond all measure", () => {
  const ratios = [1e-300, 1e300, 1, 1.01, 1.03]

  it.each([
    ["vault_returns", "count(return_1d)"],
    ["vault_performance", "max(return_1d)"],
    [
      "vault_period(date '2026-01-03', date '2026-01-05')",
      "max(volatility) filter (vault_address = 'plain')",
    ],
    ["vault_period(null, null)", "max(volatility) filter (vault_address = 'plain')"],
  ])("mart.%s has the figures of the other vaults", async (mart, figure) => {
    const { connection } = warehouse
    await putGiven(connection, {
      "core.vaults": ["odd", "plain"].map((vault_address) => ({
        chain_id: 1,
        vault_address,
        is_current: true,
      })),
      "core.ratio_history": ratios.flatMap((ratio, at) =>
        ["odd", "plain"].map((vault_address) => ({
          vault_address,
          observed_at: `2026-01-0${at + 1} 12:00:00`,
          actual_tvl: 1,
          tvl_on_vault: 1,
          adjusted_redeem_ratio: vault_address === "odd" ? ratio : 1 + at * at,
        })),
      ),
    })
    // Fails where the statement does.
    await connection.run(`SELECT * FROM mart.${mart}`)
    const [row] = await readRows(connection, `SELECT ${figure} AS figure FROM mart.${mart}`)
    expect(Number(row?.["figure"])).toBeGreaterThan(0)
  })
})
