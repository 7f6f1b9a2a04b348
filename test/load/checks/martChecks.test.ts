// The checks of what a mart declares, on rows that no mart should have.
import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { martChecks } from "../../../src/load/checks/martChecks.ts"
import { findOffenders } from "../../../src/load/checks/runChecks.ts"
import { Warehouse } from "../../../src/load/Warehouse.ts"
import { temporaryFolder } from "../../support/temporaryFolder.ts"
import { inWarehouse } from "../sample.ts"

// A mart with a range, accepted values, and references of one column and of two.
const MART = "mart.subaccount_health"
const checks = martChecks.filter(({ name }) => name.startsWith(`${MART}.`))

/** The offending rows that are found by each check, in a mart of these rows. */
const offenders = (...rows: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const { execute } = yield* Warehouse
    yield* execute([
      "create schema if not exists mart",
      `create or replace view ${MART} as from (values ${rows.join(", ")})
         t (subaccount_address, source, health_factor, band)`,
      `create or replace view mart.subaccount_debt as
         from (values ('a', 'summary'), ('b', 'health_factor')) t (subaccount_address, source)`,
      `create or replace view mart.health_bands as
         from (values ('healthy'), ('HEALTHY'), ('odd')) t (band)`,
    ])
    const results = yield* findOffenders(checks, { since: undefined })
    return Object.fromEntries(
      results.flatMap(({ name, failures, examples }) => {
        expect(examples).toHaveLength(failures)
        return failures === 0 ? [] : [[name.slice(MART.length + 1), examples]]
      }),
    )
  })

it("a mart's checks are about all of its rows, and say what they demand", () => {
  const common = { severity: "error", tolerance: null, needs: [MART], isIncremental: false }
  expect(checks).toMatchObject(
    [
      ["unique_key", "One row for each subaccount_address, none of them null"],
      [
        "values",
        "Values are possible (health_factor: at least 0; band: healthy, moderate, high risk, critical; source: health_factor, summary)",
      ],
      [
        "subaccount_debt_known",
        "subaccount_address, source are those of a row of mart.subaccount_debt",
      ],
      ["health_bands_known", "band are those of a row of mart.health_bands"],
    ].map(([rule, description]) => ({ ...common, name: `${MART}.${rule}`, description })),
  )
})

it.effect("finds repeated and missing keys, impossible values, and references to nothing", () =>
  Effect.gen(function* () {
    const dataDir = yield* temporaryFolder
    const work = Effect.gen(function* () {
      // A null is no value, and refers to nothing.
      expect(yield* offenders("('a', 'summary', 0, 'HEALTHY')", "('b', null, null, null)")).toEqual(
        {},
      )
      const repeated = "('a', 'summary', 1, 'healthy')"
      expect(
        yield* offenders(repeated, repeated, "('b', 'health_factor', 1, 'healthy')"),
      ).toMatchObject({ unique_key: [{ subaccount_address: "a", rows: 2 }] })
      expect(yield* offenders(repeated, "(null, 'summary', 1, 'healthy')")).toMatchObject({
        unique_key: [{ subaccount_address: null }],
      })
      expect(
        yield* offenders(
          "('a', 'guess', 1, 'healthy')",
          "('b', 'health_factor', -1, 'odd')",
          "('c', null, 2, 'unknown')",
          "('d', null, 2, 'unknown')",
          // Each is in that mart, but not in one row.
          "('a', 'health_factor', 3, 'healthy')",
        ),
      ).toEqual({
        unique_key: [{ subaccount_address: "a", rows: 2 }],
        values: [
          { subaccount_address: "a", broken_values: "source=guess" },
          { subaccount_address: "b", broken_values: "health_factor=-1, band=odd" },
          { subaccount_address: "c", broken_values: "band=unknown" },
          { subaccount_address: "d", broken_values: "band=unknown" },
        ],
        subaccount_debt_known: expect.arrayContaining([
          { subaccount_address: "a", source: "guess" },
          { subaccount_address: "a", source: "health_factor" },
        ]) as unknown,
        health_bands_known: [{ band: "unknown" }],
      })
    })
    yield* inWarehouse(dataDir, work)
  }),
)
