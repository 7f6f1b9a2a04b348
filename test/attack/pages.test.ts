// How long pages take while four queries hang, and while none does. It measures.
import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { get, queryUrl, smallWarehouse, startServer } from "../serve/support.ts"
import { readerFolders } from "../support/readerFolders.ts"
import { untilSo } from "../support/until.ts"

const small = smallWarehouse()

const hanging = "SELECT levenshtein(repeat('a',1000000),repeat('b',1000000))"
// Enough for what docs/security.md says of them; in CI, enough to see that they are answered.
const LOADS = process.env["CI"] === undefined ? 50 : 5

it.live("pages are answered while four queries hang", () =>
  Effect.gen(function* () {
    const dataDir = yield* small
    const folders = yield* readerFolders
    const url = yield* startServer(dataDir, { limits: { seconds: 3600, rows: 1 } })
    const load = Effect.fnUntraced(function* (times: number) {
      const millis: Array<number> = []
      const slowest: Record<string, number> = {}
      for (let turn = 0; turn < times; turn++) {
        for (const path of ["/", "/sql", "/data", "/api/publication"]) {
          const began = performance.now()
          expect((yield* get(url + path)).status).toBe(200)
          const took = performance.now() - began
          millis.push(took)
          slowest[path] = Math.max(Math.round(took), slowest[path] ?? 0)
        }
      }
      const sorted = millis.toSorted((a, b) => a - b)
      const at = (part: number) => Math.round(sorted[Math.ceil(sorted.length * part) - 1] ?? 0)
      return { pages: sorted.length, p50: at(0.5), p95: at(0.95), max: at(1), slowest }
    })
    // The first pages start the readers and fill the caches.
    yield* load(1)
    const alone = yield* load(LOADS)
    const before = folders().length
    const leave = new AbortController()
    const four = Array.from({ length: 4 }, () =>
      fetch(queryUrl(url, hanging), { signal: leave.signal }).then(
        () => "ended",
        () => "left",
      ),
    )
    yield* untilSo("two queries run, and two wait", () => folders().length >= before + 2)
    const beside = yield* load(LOADS)
    leave.abort()
    expect(yield* Effect.promise(() => Promise.all(four))).toEqual(four.map(() => "left"))
    // oxlint-disable-next-line no-console -- docs/security.md has these numbers
    console.log(JSON.stringify({ alone, beside }))
  }).pipe(Effect.scoped),
)
