// A check that compares the keys a run wrote may be asked in parts: together they find what it finds at once.
import { DuckDBInstance } from "@duckdb/node-api"
import { expect, it } from "vitest"
import { tableChecks } from "../../src/load/checks/tableChecks.ts"
import { coreTables } from "../../src/transform/tables/index.ts"

it("keys in parts are the keys, each in one part, and a doubled one is found once", async () => {
  const check = tableChecks(coreTables).find(({ name }) => name === "core.ratio_history.unique_key")
  if (check === undefined) throw new Error("there is no such check")
  const connection = await (await DuckDBInstance.create(":memory:")).connect()
  await connection.run(`create schema core;
    create table core.ratio_history as
    select 'v' || (i % 7)::varchar as vault_address,
      timestamp '2026-01-01' + interval (i // 7) hour as observed_at,
      timestamp '2026-06-01' as _updated_at
    from range(700) t (i);
    insert into core.ratio_history select * from core.ratio_history limit 12;`)
  const offenders = async (scope: Parameters<typeof check.sql>[0]) =>
    (await connection.runAndReadAll(check.sql(scope))).getRowsJson().map(String)
  const whole = await offenders({ since: 0 })
  const parts = await Promise.all(
    [0, 1, 2].map((at) => offenders({ since: 0, part: { at, of: 3 } })),
  )
  expect(whole).toHaveLength(12)
  expect(parts.flat().toSorted()).toEqual(whole.toSorted())
  expect(Math.max(...parts.map(({ length }) => length))).toBeLessThan(12)
})
