// A run publishes what is new to readers, and nothing else.
import { existsSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { martsDirectory, martStatements, readMart } from "../../../src/load/marts/marts.ts"
import { simulated } from "../../support/simulated.ts"
import { temporaryFolder } from "../../support/temporaryFolder.ts"
import { change, runOnce } from "../../support/warehouseRun.ts"

it.live(
  "files of the package that make the same marts as before are no news; other marts are",
  () =>
    Effect.gen(function* () {
      const dataDir = yield* temporaryFolder
      const simulator = yield* simulated({ now: "2026-06-15T12:00:00Z", days: 5, vaults: 2 })
      const sync = runOnce(simulator.url, dataDir, {
        pipelines: ["vaults"],
        publish: { parquet: { marts: false } },
      })
      const current = () => readFileSync(join(dataDir, "published/current.json"), "utf8")
      yield* sync
      const first = current()
      yield* change(dataDir, "UPDATE ops.view_fingerprints SET fingerprint = 'x' WHERE name = '*'")
      yield* sync
      expect(current()).toBe(first)
      // As another version left it: the run makes this version's mart, and readers have the other one.
      yield* change(
        dataDir,
        "CREATE OR REPLACE VIEW mart.clock AS SELECT TIMESTAMP '2026-01-01' AS now_at",
        "UPDATE ops.view_fingerprints SET fingerprint = 'x' WHERE name IN ('*', 'mart.clock')",
      )
      const other = JSON.parse(first) as Record<string, unknown>
      writeFileSync(
        join(dataDir, "published/current.json"),
        JSON.stringify({ ...other, definition: "of the other mart" }),
      )
      yield* sync
      expect(JSON.parse(current())).toMatchObject({ definition: other["definition"] })
      expect(current()).not.toBe(first)
    }),
)

it.live("a damaged postgres.json is gone once nothing is published to PostgreSQL", () =>
  Effect.gen(function* () {
    const dataDir = yield* temporaryFolder
    const simulator = yield* simulated({ now: "2026-06-15T12:00:00Z", days: 5, vaults: 2 })
    const file = join(dataDir, "postgres.json")
    writeFileSync(file, "{")
    const publish = { parquet: { marts: false } }
    yield* runOnce(simulator.url, dataDir, { pipelines: ["vaults"], publish })
    expect(existsSync(file)).toBe(false)
  }),
)

it.live("the tests of a mart are no part of how it is made", () =>
  Effect.gen(function* () {
    const folder = mkdtempSync(join(yield* temporaryFolder, "marts-"))
    const name = "loan_book"
    for (const extension of ["sql", "yml"]) {
      const text = readFileSync(join(martsDirectory, `${name}.${extension}`), "utf8")
      writeFileSync(join(folder, `${name}.${extension}`), text)
    }
    const before = martStatements(readMart(folder, name))
    const file = join(folder, `${name}.yml`)
    const text = readFileSync(file, "utf8")
    writeFileSync(file, text.replace(/^tests:[^]*/m, "tests: another one\n"))
    expect(readFileSync(file, "utf8")).not.toBe(text)
    expect(martStatements(readMart(folder, name))).toEqual(before)
    writeFileSync(file, text.replace(">-\n", ">-\n  Newly:\n"))
    expect(martStatements(readMart(folder, name))).not.toEqual(before)
  }),
)
