// What `doctor` and a worker at its start say of a lake whose connections are lost while they look at it.
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { ducklake } from "../../../src/load/storage/lake/ducklake.ts"
import { startPostgresProxy, ways } from "../../crash/lake/postgresProxy.ts"
import { wayApplies } from "../../crash/lake/scenarios.ts"
import { inWarehouse, sampleTables } from "../../load/sample.ts"
import { sharedPostgres } from "../../support/servers/postgres.ts"
import { temporaryFolder } from "../../support/temporaryFolder.ts"
import { lake, lakeOf, newLake } from "../lake.ts"

describe.skipIf(lake === undefined)("a lake that is looked at", () => {
  it.live("is described in words, whichever kind of message a connection is lost at", () =>
    Effect.gen(function* () {
      const { catalog, data } = yield* newLake
      yield* inWarehouse(yield* temporaryFolder, Effect.void, {
        storage: ducklake(lakeOf({ catalog, data })),
      })
      const proxy = yield* Effect.acquireRelease(
        Effect.promise(() => startPostgresProxy(() => sharedPostgres().port)),
        (each) => Effect.promise(() => each.close()),
      )
      const through = new URL(catalog)
      through.port = String(proxy.port)
      const inspected = Effect.promise(() =>
        ducklake(lakeOf({ catalog: through.href, data })).inspect(sampleTables),
      )
      proxy.arm()
      expect(yield* inspected).toMatchObject({ state: "opens" })
      const kinds = new Map(proxy.sent().map((sent) => [sent.kind, sent.isAnswered]))
      const broken: Array<string> = []
      for (const [index, [kind, isAnswered]] of [...kinds].entries()) {
        const possible = ways.filter((way) => wayApplies(way, isAnswered))
        const way = possible[index % possible.length] ?? "before"
        let isLost = false
        proxy.arm((sent) => {
          if (isLost || sent.kind !== kind) return undefined
          isLost = true
          return { way, loss: "all" }
        })
        const condition = yield* inspected
        expect(isLost, kind).toBe(true)
        // libpq connects again where DuckDB had not begun to use the connection.
        if (condition.state === "opens") continue
        const why =
          /^(The lake's catalog [^ ]+: |the lake's catalog failed \()(?!.*(SELECT|COPY)).+[^.]$/
        expect(condition, `${kind}, ${way}`).toEqual({
          state: "broken",
          why: expect.stringMatching(why) as string,
          advice: expect.stringMatching(/can be reached\./) as string,
        })
        broken.push(kind)
      }
      expect(broken.length).toBeGreaterThan(10)
    }),
  )
})
