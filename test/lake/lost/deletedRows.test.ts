// DuckLake takes a connection that is lost where it reads which rows of a file are deleted for "none are", and remembers so.
import { beforeAll, describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { ducklake } from "../../../src/load/storage/lake/ducklake.ts"
import { Warehouse } from "../../../src/load/Warehouse.ts"
import {
  type PostgresProxy,
  startPostgresProxy,
  type Way,
  ways,
} from "../../crash/lake/postgresProxy.ts"
import {
  commitTogether,
  indexRows,
  inWarehouse,
  reading,
  readingsBatch,
  rows,
} from "../../load/sample.ts"
import { objectStoreVariables } from "../../support/servers/objectStore.ts"
import { sharedPostgres } from "../../support/servers/postgres.ts"
import { temporaryFolder } from "../../support/temporaryFolder.ts"
import { lake, type Lake, lakeOf, newLake } from "../lake.ts"

// More than a commit leaves in PostgreSQL, so that they are in a file; of these so few are revised that PostgreSQL has which.
const HOURS = 150
const REVISED = 30

const throughProxy = Effect.acquireRelease(
  Effect.promise(() => startPostgresProxy(() => sharedPostgres().port)),
  (proxy) => Effect.promise(() => proxy.close()),
)

const commitHours = (count: number, value: number, response: string) =>
  Effect.map(
    commitTogether([
      readingsBatch(
        Array.from({ length: count }, (_, at) => reading("a", at, value)),
        { bookkeeping: [indexRows(response)] },
      ),
    ]),
    ([counts]) => counts,
  )

const content = rows(
  `select count(*)::int as hours, sum(value)::int as total,
     (select count(*)::int from core.readings_versions) as versions from core.readings`,
)

/** A lake in which a file has deleted rows, of which PostgreSQL has a record. */
const revisedLake = Effect.gen(function* () {
  const lakeToRevise = yield* newLake
  yield* inWarehouse(
    yield* temporaryFolder,
    Effect.gen(function* () {
      yield* commitHours(HOURS, 1, "new")
      yield* commitHours(REVISED, 2, "revised")
    }),
    { storage: ducklake(lakeOf(lakeToRevise)) },
  )
  return lakeToRevise
})
const revised = [{ hours: HOURS, total: HOURS + REVISED, versions: REVISED }]

/** `work` on a lake that is opened for it, through the proxy. */
const opened = <A, E>(
  { catalog, data }: Lake,
  { port }: PostgresProxy,
  work: Effect.Effect<A, E, Warehouse>,
) =>
  Effect.gen(function* () {
    const through = new URL(catalog)
    through.port = String(port)
    const storage = ducklake(lakeOf({ catalog: through.href, data }))
    return yield* inWarehouse(yield* temporaryFolder, work, { storage })
  })

/** Loses the connection of the next message that reads which rows of a file are deleted. */
const loseNext = (proxy: PostgresProxy, way: Way): void => {
  let isLost = false
  proxy.arm(({ kind }) => {
    if (isLost || !kind.includes("ducklake_inlined_delete_")) return undefined
    isLost = true
    return { way, loss: "one" }
  })
}

describe.skipIf(lake === undefined)("rows of a lake that are deleted", () => {
  beforeAll(() => {
    if (lake !== undefined) Object.assign(process.env, objectStoreVariables())
  })

  it.live.each(ways)("stay deleted for those who read while a connection is lost %s", (way) =>
    Effect.gen(function* () {
      const proxy = yield* throughProxy
      yield* opened(
        yield* revisedLake,
        proxy,
        Effect.gen(function* () {
          loseNext(proxy, way)
          expect([yield* content, proxy.made()]).toEqual([
            revised,
            [expect.objectContaining({ way })],
          ])
          expect(yield* content).toEqual(revised)
        }),
      )
    }),
  )

  it.live.each(ways)("are not read at one moment while a connection is lost %s", (way) =>
    Effect.gen(function* () {
      const proxy = yield* throughProxy
      yield* opened(
        yield* revisedLake,
        proxy,
        Effect.gen(function* () {
          const { atOneMoment } = yield* Warehouse
          loseNext(proxy, way)
          // There, nothing can be read again.
          const read = yield* Effect.result(atOneMoment(content))
          expect(proxy.made()).toEqual([expect.objectContaining({ way })])
          expect(Result.isFailure(read)).toBe(true)
          expect(yield* content).toEqual(revised)
        }),
      )
    }),
  )

  it.live.each(ways)("stay deleted for the commit whose connection is lost %s", (way) =>
    Effect.gen(function* () {
      const proxy = yield* throughProxy
      const revisedOnce = yield* revisedLake
      const again = yield* opened(
        revisedOnce,
        proxy,
        Effect.gen(function* () {
          loseNext(proxy, way)
          const counts = yield* commitHours(2 * REVISED, 2, "as before, and more of it")
          expect(proxy.made()).toEqual([expect.objectContaining({ way })])
          expect(counts).toEqual({ inserted: 0, revised: REVISED, unchanged: REVISED })
          return yield* content
        }),
      )
      expect(again).toEqual([{ hours: HOURS, total: HOURS + 2 * REVISED, versions: 2 * REVISED }])
      expect(yield* opened(revisedOnce, proxy, content)).toEqual(again)
    }),
  )

  it.live("are not read in a transaction that is open while another statement fails", () =>
    Effect.gen(function* () {
      const proxy = yield* throughProxy
      yield* opened(
        yield* revisedLake,
        proxy,
        Effect.gen(function* () {
          const { atOneMoment, exclusively } = yield* Warehouse
          const count = rows("select count(*)::int as hours from core.readings")
          const read = yield* Effect.result(
            atOneMoment(
              Effect.gen(function* () {
                yield* rows("select 1 from ops.runs")
                loseNext(proxy, "before")
                yield* Effect.exit(
                  exclusively("Reading", ({ connection }) =>
                    connection.runAndReadAll("select count(*) from core.readings"),
                  ),
                )
                expect(proxy.made()).toHaveLength(1)
                return yield* count
              }),
            ),
          )
          expect(Result.isFailure(read) && read.failure.message).toContain("a statement failed")
          expect(yield* content).toEqual(revised)
        }),
      )
    }),
  )
})
