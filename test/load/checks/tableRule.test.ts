// A value that must be known is looked up for the rows of every kind of table, in one statement.
import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { findOffenders } from "../../../src/load/checks/runChecks.ts"
import { tableChecks } from "../../../src/load/checks/tableChecks.ts"
import { Warehouse } from "../../../src/load/Warehouse.ts"
import { temporaryFolder } from "../../support/temporaryFolder.ts"
import {
  commit,
  descriptions,
  inWarehouse,
  reading,
  readings,
  replayed,
  rowsOf,
} from "../sample.ts"

const tables = [readings, descriptions]
const checks = tableChecks(tables).filter(({ name }) => name.endsWith(".run_known"))

it.effect("finds rows of a run that nobody knows", () =>
  Effect.gen(function* () {
    const dataDir = yield* temporaryFolder
    const work = Effect.gen(function* () {
      const { startRun } = yield* Warehouse
      yield* startRun({ command: "sync", version: "1.0.0" })
      const landing = (run: string, vault: string) =>
        commit(
          replayed(run, [
            rowsOf(readings, [reading(vault, 0, 1)]),
            rowsOf(descriptions, [{ vault_address: vault, title: "A" }]),
          ]),
        )
      const offenders = Effect.map(findOffenders(checks, { since: undefined }), (results) =>
        Object.fromEntries(
          results.flatMap(({ name, outcome, failures }) =>
            outcome === "not_applicable" ? [] : [[name, failures]],
          ),
        ),
      )
      yield* landing("run-1", "a")
      const before = yield* offenders
      yield* landing("run-?", "b")
      return [before, yield* offenders]
    })
    const of = (failures: number) => ({
      "core.readings.run_known": failures,
      "core.descriptions.run_known": failures,
    })
    expect(yield* inWarehouse(dataDir, work, { tables })).toEqual([of(0), of(1)])
  }),
)
