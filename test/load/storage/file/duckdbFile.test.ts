// What `doctor` finds of a warehouse in a file.
import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { duckdbFile } from "../../../../src/load/storage/file/duckdbFile.ts"
import { temporaryFolder } from "../../../support/temporaryFolder.ts"
import { commit, inWarehouse, reading, readings, readingsBatch } from "../../sample.ts"

it.effect("is absent before the first run, held during one, and opens after it", () =>
  Effect.gen(function* () {
    const dataDir = yield* temporaryFolder
    const inspected = Effect.promise(() => duckdbFile(dataDir).inspect([readings]))
    const states = [(yield* inspected).state]
    const run = Effect.gen(function* () {
      yield* commit(readingsBatch([reading("a", 0, 1)]))
      states.push((yield* inspected).state)
    })
    yield* inWarehouse(dataDir, run, { tables: [readings] })
    states.push((yield* inspected).state)
    expect(states).toEqual(["absent", "held", "opens"])
  }),
)
