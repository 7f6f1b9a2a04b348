// What is damaged in the data directory, and is not rows or responses, ends no command: it counts as missing, and is logged.
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Logger from "effect/Logger"
import { readSent } from "../../src/pipelines/notifications/sentFile.ts"
import { readHealth } from "../../src/pipelines/publication/health.ts"
import { readPostgresState } from "../../src/pipelines/publication/postgres.ts"
import { readLastRun } from "../../src/pipelines/run/lastRun.ts"
import { readLastStarts } from "../../src/pipelines/schedule/lastStarts.ts"
import { temporaryFolder } from "../support/temporaryFolder.ts"

const damages = [
  "",
  "{",
  "null",
  "3",
  "[]",
  '{"as_of":null}',
  '{"target":"a","run_id":"b"}',
  '{"a":',
]

type Reader = (dataDir: string) => Effect.Effect<unknown>

it.live.each<[string, Reader, unknown]>([
  ["health.json", readHealth, undefined],
  ["postgres.json", readPostgresState, undefined],
  ["last-run.json", readLastRun, undefined],
  ["notifications.json", readSent, new Map()],
  ["schedule.json", readLastStarts, new Map()],
])("a damaged %s counts as missing, and is logged", ([name, read, missing]) =>
  Effect.gen(function* () {
    const folder = yield* temporaryFolder
    const logged: Array<string> = []
    const log = Logger.layer([Logger.make(({ message }) => void logged.push(String(message)))])
    expect(yield* read(folder)).toEqual(missing)
    for (const damage of damages) {
      writeFileSync(join(folder, name), damage)
      expect(yield* Effect.provide(read(folder), log), damage).toEqual(missing)
    }
    expect(logged.length).toBeGreaterThan(4)
    for (const line of logged) expect(line).toMatch(`${join(folder, name)} is damaged, so `)
  }),
)
