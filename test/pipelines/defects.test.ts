// Mutation of data: each defect of defects.yml is planted in a sound warehouse, alone, and the checks it names find it.
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { type DuckDBConnection, DuckDBInstance } from "@duckdb/node-api"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import * as Effect from "effect/Effect"
import { parse } from "yaml"
import { makeExampleWarehouse } from "../../demo/exampleWarehouse.ts"
import type { Check } from "../../src/load/checks/Check.ts"
import { CATALOG, literal } from "../../src/load/sql/sql.ts"
import { allChecks, check } from "../../src/pipelines/publication/check.ts"

interface Defect {
  readonly defect: string
  readonly checks: Readonly<Record<string, Check["severity"]>>
  readonly sql: string
}

const defects = parse(
  readFileSync(join(import.meta.dirname, "defects.yml"), "utf8"),
) as ReadonlyArray<Defect>

const variables = readFileSync(join(import.meta.dirname, "defects.sql"), "utf8")

let checks: ReadonlyMap<string, Check>
let dataDir: string
let connection: DuckDBConnection
let close: (() => void) | undefined
const before = new Map<string, number>()

const failures = async (name: string): Promise<number> => {
  const found = checks.get(name)
  if (found === undefined) throw new Error(`there is no check ${name}`)
  const rows = await connection.runAndReadAll(
    `select count(*)::integer from (${found.sql({ since: undefined })})`,
  )
  return Number(rows.getRows()[0]?.[0])
}

beforeAll(async () => {
  const folder = mkdtempSync(join(tmpdir(), "vaulthouse-defects-"))
  const example = await makeExampleWarehouse(folder)
  dataDir = example.dataDir
  await example.close()
  const all = await Effect.runPromise(allChecks())
  checks = new Map(all.map((each) => [each.name, each]))
  const sound = await Effect.runPromise(check({ dataDir, names: [] }))
  expect(
    sound.filter(({ outcome, severity }) => outcome === "failed" && severity === "error"),
  ).toEqual([])
  const instance = await DuckDBInstance.create(":memory:")
  connection = await instance.connect()
  await connection.run(
    `attach ${literal(join(dataDir, "vaulthouse.duckdb"))} as ${CATALOG}; use ${CATALOG}; ${variables}`,
  )
  close = () => {
    connection.closeSync()
    instance.closeSync()
    rmSync(folder, { recursive: true, force: true })
  }
  for (const name of new Set(defects.flatMap((each) => Object.keys(each.checks)))) {
    before.set(name, await failures(name))
  }
})
afterAll(() => close?.())

describe("a defect", () => {
  it("is one of at least 40", () => {
    expect(defects.length).toBeGreaterThanOrEqual(40)
    expect(new Set(defects.map(({ defect }) => defect)).size).toBe(defects.length)
  })

  it.each(defects)("$defect", async ({ checks: expected, sql }) => {
    await connection.run("begin")
    try {
      const planted = await connection.runAndReadAll(sql)
      expect(Number(planted.getRows()[0]?.[0])).toBeGreaterThan(0)
      for (const [name, severity] of Object.entries(expected)) {
        expect(checks.get(name)?.severity, name).toBe(severity)
        expect(await failures(name), name).toBeGreaterThan(before.get(name) ?? NaN)
      }
    } finally {
      await connection.run("rollback")
    }
  })
})
