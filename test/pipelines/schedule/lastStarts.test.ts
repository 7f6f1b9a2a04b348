// What a scheduler that starts takes from schedule.json, whatever is in it.
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { readLastStarts, writeLastStarts } from "../../../src/pipelines/schedule/lastStarts.ts"
import { temporaryFolder } from "../../support/temporaryFolder.ts"

it.live("takes instants, and for what is none a group that never ran", () =>
  Effect.gen(function* () {
    const folder = yield* temporaryFolder
    const read = (text: string) => {
      writeFileSync(join(folder, "schedule.json"), text)
      return readLastStarts(folder)
    }
    const hourly = Date.parse("2026-03-01T02:07:00Z")
    const written = '{"hourly":"2026-03-01T02:07:00.000Z","daily":"yesterday","weekly":null}'
    const found = yield* read(written)
    expect([...found]).toEqual([["hourly", hourly]])
    yield* writeLastStarts(folder, found)
    expect([...(yield* readLastStarts(folder))]).toEqual([["hourly", hourly]])
    for (const text of ["null", "3", "[]", "", "{"]) expect([...(yield* read(text))]).toEqual([])
  }),
)
