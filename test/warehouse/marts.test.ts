// Each mart does what its YAML file says: columns, types, comments, and given rows in, expected rows out.
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import {
  martColumnComment,
  martComment,
  type Mart,
  marts,
  martsDirectory,
} from "../../src/load/marts/marts.ts"
import { martMacros, martMacrosDirectory } from "../../src/load/marts/martMacros.ts"
import { readTests, type WarehouseTest } from "../../src/load/sql/warehouseFile.ts"
import { CATALOG, literal } from "../../src/load/sql/sql.ts"
import {
  stopClock,
  martRows,
  openWarehouse,
  putGiven,
  readRows,
  type TestWarehouse,
  typedRow,
} from "./support.ts"

/** No given row is of a later day, unless its test stops the clock before it. */
const someInstant = "2027-01-01 00:00:00"

let warehouse: TestWarehouse
beforeAll(async () => {
  warehouse = await openWarehouse()
})
afterAll(() => warehouse.close())

describe.each(marts)("mart.$name", (mart) => {
  it("has the columns its YAML file describes, in their order, with their types and comments", async () => {
    const stored = await readRows(
      warehouse.connection,
      `SELECT column_name AS name, lower(data_type) AS type, comment FROM duckdb_columns()
       WHERE database_name = ${literal(CATALOG)} AND schema_name = 'mart'
         AND table_name = ${literal(mart.name)} ORDER BY column_index`,
    )
    expect(stored).toEqual(
      mart.columns.map((column) => ({
        name: column.name,
        type: column.type,
        comment: martColumnComment(column),
      })),
    )
  })

  it("carries its description as comment, and names no catalog", async () => {
    const [view] = await readRows(
      warehouse.connection,
      `SELECT comment, sql FROM duckdb_views() WHERE database_name = ${literal(CATALOG)}
         AND schema_name = 'mart' AND view_name = ${literal(mart.name)}`,
    )
    expect(view?.comment).toBe(martComment(mart))
    expect(view?.sql).not.toContain(CATALOG)
  })

  it("answers its example", async () => {
    await warehouse.connection.run(`USE ${CATALOG}`)
    // Fails where the statement does.
    await warehouse.connection
      .run(mart.example)
      .finally(() => warehouse.connection.run("USE memory"))
    expect(mart.example).toContain(`mart.${mart.name}`)
  })
})

/** The rows of the mart, given those of the test, and the expected ones. */
const rowsOfBoth = async (mart: Mart, test: WarehouseTest) => {
  const { connection } = warehouse
  await putGiven(connection, test.given)
  await stopClock(connection, test.now ?? someInstant)
  const expected = await Promise.all(test.expect.map((row) => typedRow(connection, mart, row)))
  const rows = await martRows(connection, mart, test.with)
  // A column that an expected row leaves out may be anything.
  const actual = rows.map((row, index) =>
    Object.fromEntries(Object.keys(expected[index] ?? row).map((name) => [name, row[name]])),
  )
  return { actual, expected }
}

describe.each(marts)("mart.$name, given rows", (mart) => {
  it.each(readTests(martsDirectory, mart.name))("$name", async (test) => {
    const { actual, expected } = await rowsOfBoth(mart, test)
    expect(actual).toEqual(expected)
  })
})

describe.each(
  marts.flatMap(({ name, columns }) =>
    columns.flatMap(({ name: column, accepted }) =>
      accepted === undefined ? [] : [{ name, column, accepted }],
    ),
  ),
)("mart.$name, $column", ({ name, column, accepted }) => {
  // `check` fails on any other value.
  it("accepts every value that a test expects of it", () => {
    const expected = readTests(martsDirectory, name)
      .flatMap(({ expect: rows }) => rows.map((row) => row[column] ?? null))
      .filter((value) => value !== null)
    expect(expected.length).toBeGreaterThan(0)
    expect(accepted).toEqual(expect.arrayContaining(expected))
  })
})

describe.each(martMacros)("the macro mart.$name", (mart) => {
  it.each(readTests(martMacrosDirectory, mart.name))("$name", async (test) => {
    const { actual, expected } = await rowsOfBoth(mart, test)
    expect(actual).toEqual(expected)
  })

  it("has the columns its YAML file describes, a comment, and one row for each key of its example", async () => {
    const { connection } = warehouse
    await connection.run(`USE ${CATALOG}`)
    try {
      await connection.run(mart.example)
      const call = mart.example.slice(mart.example.indexOf(`mart.${mart.name}(`))
      const described = await readRows(
        connection,
        `DESCRIBE FROM ${call.replace(/order by.*/s, "")}`,
      )
      expect(
        described.map((row) => [row["column_name"], String(row["column_type"]).toLowerCase()]),
      ).toEqual(mart.columns.map(({ name, type }) => [name, type]))
      const [made] = await readRows(
        connection,
        `SELECT comment, macro_definition AS sql FROM duckdb_functions()
         WHERE schema_name = 'mart' AND function_name = ${literal(mart.name)}`,
      )
      expect(made?.comment).toBe(martComment(mart))
      expect(made?.sql).not.toContain(CATALOG)
    } finally {
      await connection.run("USE memory")
    }
  })

  it("refuses a TIMESTAMPTZ and a number, in words, and takes text, timestamps and parameters", async () => {
    const { connection } = warehouse
    await connection.run(`USE ${CATALOG}`)
    try {
      const count = `SELECT count(*)::INTEGER AS n FROM mart.${mart.name}`
      for (const wrong of ["TIMESTAMPTZ '2026-01-01 00:00:00+05'", "20260101"]) {
        await expect(readRows(connection, `${count}(${wrong}, NULL)`)).rejects.toThrow(
          `mart.${mart.name} needs a DATE in UTC, or null, as ${mart.parameters?.[0].name}, not`,
        )
      }
      for (const right of ["'2026-01-01'", "TIMESTAMP '2026-01-01 10:00:00'", "NULL"]) {
        expect(await readRows(connection, `${count}(${right}, NULL)`)).toHaveLength(1)
      }
      const bound = await connection.runAndReadAll(`${count}($from, $to)`, {
        from: "2026-01-01",
        to: "2026-01-02",
      })
      expect(bound.currentRowCount).toBe(1)
    } finally {
      await connection.run("USE memory")
    }
  })
})

interface Operator {
  readonly operator_cardinality?: number
  readonly children: ReadonlyArray<Operator>
}

const mostRows = ({ operator_cardinality: rows = 0, children }: Operator): number =>
  Math.max(rows, ...children.map(mostRows))

describe("a queue that is read every hour", () => {
  it("has its history in a time that grows with readings plus requests, not with one times the other", async () => {
    const readings = 500
    const requests = 100
    const at = (hour: number) => new Date(Date.UTC(2026, 0, 1, hour)).toISOString().slice(0, 19)
    const ofVault = { chain_id: 1, vault_address: "a" }
    await putGiven(warehouse.connection, {
      "ops.tasks": Array.from({ length: readings }, (_, hour) => ({
        ...ofVault,
        pipeline: "withdrawals",
        entity: "a",
        run_id: String(hour),
        outcome: "unchanged",
        finished_at: at(hour),
      })),
      "core.withdrawal_requests": Array.from({ length: requests }, (_, request) => ({
        ...ofVault,
        request_id: String(request),
        estimated_completion_at: at(request),
        valid_from: at(0),
        valid_to: at(readings - request),
        is_current: false,
      })),
    })
    const history = `FROM ${CATALOG}.mart.withdrawal_history`
    const [late] = await readRows(
      warehouse.connection,
      `SELECT count(*) FILTER (was_late)::INTEGER AS n ${history}`,
    )
    expect(late).toEqual({ n: requests })
    const [plan] = await readRows(
      warehouse.connection,
      `EXPLAIN (ANALYZE, FORMAT json) SELECT was_late ${history}`,
    )
    const most = mostRows(JSON.parse(String(plan?.["explain_value"])) as Operator)
    expect(most).toBeGreaterThanOrEqual(requests)
    expect(most).toBeLessThanOrEqual(readings + requests)
  })
})
