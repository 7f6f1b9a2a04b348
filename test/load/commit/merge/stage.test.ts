import { DuckDBInstance } from "@duckdb/node-api"
import { afterAll, beforeAll, expect, it } from "vitest"
import type { DuckDBConnection } from "@duckdb/node-api"
import type { Rows, Table } from "../../../../src/domain/table/table.ts"
import {
  type PageRows,
  stage,
  STAGED,
  STAGED_EMPTY_SETS,
  stagedMergeKeys,
} from "../../../../src/load/commit/merge/stage.ts"
import { readRows } from "../../../../src/load/duckdb/readRows.ts"
import { descriptions, hour, reading, readings, rowsOf } from "../../sample.ts"

let instance: DuckDBInstance
let connection: DuckDBConnection
beforeAll(async () => {
  instance = await DuckDBInstance.create(":memory:")
  connection = await instance.connect()
})
afterAll(() => {
  connection.closeSync()
  instance.closeSync()
})

const page = (batch: number, rows: Rows): PageRows => ({ batch, rows, runId: `run-${batch}` })
const stored = (from: string) => readRows(connection, `FROM ${from}`)

it("staged rows keep their order, their batch and what they were read from", async () => {
  const staged = await stage(connection, readings, [
    page(0, rowsOf(readings, [reading("b", 5, 1), reading("a", 2, 2)], 1_000_000)),
    page(1, { ...rowsOf(readings, [reading("a", 3, 3)], 2_000_000), isPartial: true }),
    page(0, rowsOf(readings, [reading("a", 1, 4)], 3_000_000)),
  ])
  expect(staged).toMatchObject({
    rows: 4,
    bounds: { from: hour(1), to: hour(5) },
    distinct: false,
    hasEmptySets: false,
    mergeKeys: [],
  })
  expect(staged.rowsOfBatch).toEqual(
    new Map([
      [0, 3],
      [1, 1],
    ]),
  )
  const columns = "_batch, value, _response_id, _run_id, epoch(_observed_at) AS at, _is_partial"
  const found = await stored(`(SELECT ${columns} FROM ${STAGED} ORDER BY rowid)`)
  expect(found.map((row) => Object.values(row))).toEqual([
    [0, 1, "response-2", "run-0", 1, false],
    [0, 2, "response-2", "run-0", 1, false],
    [1, 3, "response-1", "run-1", 2, true],
    [0, 4, "response-1", "run-0", 3, false],
  ])
})

it("an empty set widens the time that is compared, and none of an earlier commit is left", async () => {
  const ofSets: Table = { ...readings, mergeKey: ["vault_address", "observed_at"] }
  const set = { vault_address: "a", observed_at: hour(9) }
  const rows = { ...rowsOf(ofSets, [reading("a", 1, 1)], 1_000_000), emptySets: [set] }
  const staged = await stage(connection, ofSets, [page(0, rows)])
  expect(staged).toMatchObject({ hasEmptySets: true, bounds: { from: hour(1), to: hour(9) } })
  expect(await stored(`(SELECT * EXCLUDE (_observed_at) FROM ${STAGED_EMPTY_SETS})`)).toMatchObject(
    [{ _batch: 0, vault_address: "a", _run_id: "run-0", _is_partial: false }],
  )
  const nothing = await stage(connection, ofSets, [page(0, rowsOf(ofSets, []))])
  expect(nothing).toMatchObject({ rows: 0, hasEmptySets: false, bounds: undefined })
})

it("a set in several pages was observed when the last one was, one for each batch", async () => {
  const of = (vault_address: string, receivedAt: number): Rows => ({
    ...rowsOf(descriptions, [{ vault_address, title: "A" }], receivedAt),
    mergeKey: { vault_address },
  })
  const { mergeKeys, mergeKeyShapes } = await stage(connection, descriptions, [
    page(0, of("a", 1_000_000)),
    page(0, of("a", 2_000_000)),
    page(1, of("a", 3_000_000)),
    page(1, { ...rowsOf(descriptions, [], 4_000_000), mergeKey: {} }),
  ])
  expect(mergeKeys.map(({ batch, observedAt }) => [batch, observedAt])).toEqual([
    [0, 2_000_000],
    [1, 3_000_000],
    [1, 4_000_000],
  ])
  expect(mergeKeyShapes).toEqual([["vault_address"], []])
  const [own, all] = [await stored(stagedMergeKeys(0)), await stored(stagedMergeKeys(1))]
  expect([own.length, all.length]).toEqual([2, 1])
})
