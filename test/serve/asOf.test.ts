// Queries over what was known at an instant: which of them are kept, and which statements they may be.
import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { openPublishedCopy } from "../../src/pipelines/readers/openPublishedCopy.ts"
import { openReader, type Reader, sqlFile } from "../../src/pipelines/readers/published.ts"
import { readAsOf, readerAsOf } from "../../src/serve/asOf/asOf.ts"
import { martChanges } from "../../src/serve/asOf/martChanges.ts"
import { ahead } from "../support/movableClock.ts"
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
        "/* /* all */ vaults */ -- of then\nselect vault_name from core.vaults",
        "/* */ with v as (from core.vaults) from v",
        "(with v as (from core.vaults) from v) union all (from core.vaults limit 0)",
        "( (with v as (from core.vaults) from v))",
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

it.live("what is stored was known, also where the clock was set back after it was", () =>
  ahead(
    -3_600_000,
    Effect.gen(function* () {
      const dataDir = yield* small
      const since = { before: undefined, vault: undefined, limit: 10 }
      const changes = yield* martChanges(yield* openPublishedCopy(dataDir), "mart.vault_names", {
        ...since,
        after: undefined,
      })
      expect(changes.rows.length).toBeGreaterThan(0)
      expect(changes.rows.every(({ change }) => change === "new")).toBe(true)
      const limits = { memoryLimit: "300MB", diskLimit: "100MB" }
      const reader = yield* openReader(dataDir, limits)
      const [publication] = yield* reader.rows(
        "select epoch_us(published_at)::double as micros from ops.publications",
      )
      const publishedAt = Number(publication?.["micros"])
      const then = readerAsOf(reader, yield* readAsOf(reader, publishedAt))
      const named = "select vault_name from core.vaults"
      expect(yield* then.rows(named)).toEqual(yield* reader.rows(named))
      const refused = yield* Effect.flip(readAsOf(reader, publishedAt + 24 * 3_600_000_000))
      expect(refused.message).toContain("is in the future")
    }),
  ).pipe(Effect.scoped),
)
