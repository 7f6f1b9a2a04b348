// A publication to PostgreSQL whose connection is lost at one of its messages: readers have one whole publication, and the next
// one leaves nothing behind. Each run tries a few messages; `CUTS=all make test-postgres ARGS=cuts` tries one of each kind in
// every way, which takes about an hour.
import { join } from "node:path"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { PostgresError } from "../../src/load/errors.ts"
import { publishPostgres } from "../../src/pipelines/publication/postgres.ts"
import { existingWarehouse } from "../../src/pipelines/publication/warehouse.ts"
import { startPostgresProxy, type Way, ways } from "../crash/lake/postgresProxy.ts"
import { dailyRandomness } from "../support/randomness.ts"
import { installed, newDatabase, sharedPostgres } from "../support/servers/postgres.ts"
import { sharedWarehouse } from "../support/sharedWarehouse.ts"
import { asAdmin, simulated } from "../support/simulated.ts"
import { runOnce } from "../support/warehouseRun.ts"

const isWhole = process.env["CUTS"] === "all"
const CUTS = isWhole ? Infinity : 4

describe.skipIf(installed === undefined)("a publication that loses its connection", () => {
  const warehouse = sharedWarehouse((dataDir) =>
    Effect.gen(function* () {
      const simulator = yield* simulated({
        now: "2026-06-01T12:00:00Z",
        vaults: 1,
        subaccounts: 1,
        days: 3,
      })
      yield* runOnce(simulator.url, join(dataDir, "data"), {
        api: asAdmin,
        publish: { parquet: undefined },
      })
    }),
  )

  const proxied = Effect.acquireRelease(
    Effect.promise(() => startPostgresProxy(() => sharedPostgres().port)),
    (proxy) => Effect.promise(() => proxy.close()),
  )

  const rows = (database: string, sql: string) =>
    Effect.promise(() => sharedPostgres().query(sql, database))

  const copyOf = Effect.fnUntraced(function* (template: string | undefined) {
    const database = yield* Effect.promise(newDatabase)
    if (template === undefined) return database
    yield* rows("postgres", `drop database ${database}`)
    yield* rows("postgres", `create database ${database} template ${template}`)
    return database
  })

  /** The publications that views read, of which there must be one at most, and the newest. */
  const shown = (database: string) =>
    Effect.map(
      rows(
        database,
        `select distinct substring(pg_get_viewdef(c.oid) from 'run_(\\d+)\\.') as number
         from pg_class c where relkind = 'v' and relnamespace::regnamespace::text in ('core', 'mart', 'meta', 'ops')`,
      ),
      (found) => found.map(({ number }) => number),
    )
  const newest = (database: string) =>
    Effect.map(
      rows(database, "select max(number)::text as number from vaulthouse.publications"),
      (found) => found.map(({ number }) => number),
    )

  /** Everything that is stored, and what of it the publications use. */
  const stored = (database: string) =>
    rows(
      database,
      `select (select count(*) from pg_class where relnamespace = 'vaulthouse'::regnamespace and relkind = 'r' and relname ~ '^part_') as tables,
         (select count(*) from vaulthouse.parts) as parts,
         (select count(distinct part_id) from vaulthouse.publication_parts) as used,
         (select count(*) from pg_namespace where nspname ~ '^run_') as schemas,
         (select count(*) from vaulthouse.publications) as publications,
         (select count(*) from pg_description where objsubid = 0 and objoid in (select oid from pg_class where relkind = 'v')) as described,
         (select md5(string_agg(r::text, '' order by r::text)) from core.ratio_history r) as ratios,
         (select md5(string_agg(v::text, '' order by v::text)) from core.vaults v) as vaults,
         (select md5(string_agg(m::text, '' order by m::text)) from meta.columns m) as columns`,
    )

  it.live.each([["first"], ["later"]] as const)(
    "the %s one, wherever that is",
    ([which]) =>
      Effect.gen(function* () {
        const random = dailyRandomness(`cuts of the ${which} publication`)
        const dataDir = join(yield* warehouse, "data")
        const proxy = yield* proxied
        const publish = (database: string) =>
          publishPostgres(
            {
              postgres: {
                address: Redacted.make(
                  sharedPostgres()
                    .url(database)
                    .replace(`:${sharedPostgres().port}/`, `:${proxy.port}/`),
                ),
                prefix: "",
                role: undefined,
              },
            },
            { anyway: true },
          ).pipe(
            Effect.provide(existingWarehouse("Publishing", { dataDir, runId: "test" })),
            Effect.scoped,
          )
        const base = which === "first" ? undefined : yield* copyOf(undefined)
        if (base !== undefined) yield* publish(base)
        const uninterrupted = yield* copyOf(base)
        proxy.arm()
        yield* publish(uninterrupted)
        const sent = proxy.sent()
        const expected = yield* stored(uninterrupted)
        expect(expected).toMatchObject([{ schemas: "1", publications: "1" }])
        expect(expected[0]).toMatchObject({ parts: expected[0]?.["tables"] })
        expect(expected[0]).toMatchObject({ used: expected[0]?.["tables"] })

        const kinds = new Map(sent.map((each) => [each.kind, each]))
        const cuts = [...kinds.values()]
          .flatMap(({ kind, isAnswered }) =>
            ways
              .filter((way) => isAnswered || way === "before" || way === "within")
              .map((way): readonly [string, Way, number] => [kind, way, random()]),
          )
          .toSorted(([, , one], [, , other]) => one - other)
          .slice(0, CUTS)
        for (const [kind, way] of cuts) {
          const where = `${way} ${kind}`
          const database = yield* copyOf(base)
          const before = yield* shown(database)
          let isCut = false
          proxy.arm((message) => {
            if (isCut || message.kind !== kind) return undefined
            isCut = true
            return { way, loss: "one" }
          })
          const ended = yield* Effect.result(publish(database))
          expect({ where, isCut }).toEqual({ where, isCut: true })
          if (ended._tag === "Failure") {
            expect(ended.failure, where).toBeInstanceOf(PostgresError)
            expect(ended.failure, where).toMatchObject({ why: "the connection was lost" })
          }
          const after = yield* shown(database)
          // Its views may have been switched, and only the answer lost.
          if (after.join() !== before.join()) {
            expect({ where, after }).toEqual({ where, after: yield* newest(database) })
          }
          proxy.arm()
          yield* publish(database)
          expect({ where, shown: yield* shown(database) }).toEqual({
            where,
            shown: yield* newest(database),
          })
          expect({ where, stored: yield* stored(database) }).toEqual({ where, stored: expected })
          yield* rows("postgres", `drop database ${database}`)
        }
      }).pipe(Effect.scoped),
    isWhole ? 7_200_000 : undefined,
  )
})
