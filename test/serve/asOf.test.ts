// Queries over what was known at an instant: which of them are kept, and which statements they may be.
import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { openReader, type Reader, sqlFile } from "../../src/pipelines/readers/published.ts"
import { readAsOf, readerAsOf } from "../../src/serve/asOf/asOf.ts"
import { smallWarehouse } from "./support.ts"

const small = smallWarehouse()

it.live("those that were used last are kept, and none that is very long", () =>
  Effect.gen(function* () {
    const limits = { memoryLimit: "300MB", diskLimit: "100MB" }
    const reader = yield* openReader(yield* small, limits)
    const parsed: Array<unknown> = []
    const parser: Reader = {
      ...reader,
      rows: (sql, parameters) => {
        if (sql === sqlFile("query", "parsed")) parsed.push(parameters?.["sql"])
        return reader.rows(sql, parameters)
      },
    }
    const { rewritten } = yield* readAsOf(parser, Date.now() * 1000)
    const [page, long] = ["from core.vaults", `select '${"x".repeat(200_000)}'`]
    expect(yield* rewritten(parser, page)).toContain("FROM core.vaults")
    for (let count = 1; count < 100; count++) {
      yield* rewritten(parser, `select ${count}`)
      expect(yield* rewritten(parser, page)).toContain("FROM core.vaults")
    }
    expect(parsed.filter((sql) => sql === page)).toHaveLength(1)
    parsed.length = 0
    for (const sql of ["select 99", "select 75", "select 1", long, long]) {
      yield* rewritten(parser, sql)
    }
    expect(parsed).toEqual(["select 1", long, long])
  }).pipe(Effect.scoped),
)

it.live(
  "the statements that are a SELECT in other words are of then, and others are refused in words",
  () =>
    Effect.gen(function* () {
      const limits = { memoryLimit: "300MB", diskLimit: "100MB" }
      const reader = yield* openReader(yield* small, limits)
      const then = readerAsOf(reader, yield* readAsOf(reader, Date.now() * 1000))
      const named = yield* reader.rows("select vault_name from core.vaults")
      for (const sql of [
        "table core.vaults order by vaults.vault_name",
        "with v as (TABLE\n core.vaults) from v",
        "(table core.vaults) union (table core.vaults)",
      ]) {
        expect(yield* then.rows(sql), sql).toMatchObject(named)
      }
      // The present time is then a constant.
      for (const sql of ["explain from mart.clock", "explain analyze table mart.clock"]) {
        expect(JSON.stringify(yield* then.rows(sql)), sql).toContain("DUMMY_SCAN")
      }
      const pivot = "pivot core.vaults on vault_name using count(*)"
      for (const [sql, says] of [
        [pivot, /read-only: a query is one SELECT\.\nPIVOT works if it names its columns/],
        [
          `explain ${pivot}`,
          /read-only: a query is one SELECT\.\nPIVOT works if it names its columns/,
        ],
        ["drop table core.vaults", /read-only: a query is one SELECT\./],
        ["-- nothing", /read-only: a query is one SELECT\./],
        ["select 1e999", /larger than a DOUBLE can be\.\nWrite it as text/],
        ["select 1; select 2", /There are 2 statements; run them one at a time\./],
        ["selec 1", /DuckDB refused the query: syntax error at or near "selec"/],
      ] as const) {
        expect((yield* Effect.flip(then.rows(sql))).message, sql).toMatch(says)
      }
    }).pipe(Effect.scoped),
)
