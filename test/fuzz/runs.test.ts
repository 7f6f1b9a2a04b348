// Whole runs against a service a fourth of whose responses changed: they end, what is archived makes the same warehouse
// again, and every row leads to its response.
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { dailyRandomness } from "../support/randomness.ts"
import { content, loseTheWarehouse, replayed, replayedTables } from "../support/replays.ts"
import { asAdmin, simulated } from "../support/simulated.ts"
import { temporaryFolder } from "../support/temporaryFolder.ts"
import { HANG_SECONDS } from "../support/until.ts"
import { query, runOnce } from "../support/warehouseRun.ts"
import { noteFigures } from "./figures.ts"
import { mutated } from "./mutations.ts"

const RUNS = Math.ceil(Number(process.env["FUZZ"] ?? 500) / 1000) + 1

/** Between the product and a service: changes the bodies of some answers. */
const changing = (service: string, change: (body: string) => string) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const answer = async (request: IncomingMessage, response: ServerResponse) => {
        const headers = Object.entries(request.headers).flatMap(([name, value]) =>
          typeof value === "string" && name !== "host" && name !== "connection"
            ? [[name, value] as [string, string]]
            : [],
        )
        const answered = await fetch(`${service}${request.url ?? ""}`, { headers })
        const text = await answered.text()
        response.writeHead(answered.status, {
          "content-type": answered.headers.get("content-type") ?? "application/json",
        })
        response.end(answered.ok ? change(text) : text)
      }
      const server = createServer((request, response) => void answer(request, response))
      await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
      return server
    }),
    (server) =>
      Effect.promise(async () => {
        server.closeAllConnections()
        await new Promise((resolve) => server.close(resolve))
      }),
  ).pipe(Effect.map((server) => `http://127.0.0.1:${(server.address() as AddressInfo).port}`))

describe("runs against a service whose answers changed", () => {
  it.live(
    `end, and their archive makes the same rows again (${RUNS} runs)`,
    () =>
      Effect.gen(function* () {
        const random = dailyRandomness("runs with changed responses")
        const dataDir = yield* temporaryFolder
        let changed = 0
        for (let run = 0; run < RUNS; run += 1) {
          // A day later each time, with revisions of what was read before.
          const now = new Date(Date.UTC(2026, 5, 1 + run, 12)).toISOString()
          const { url } = yield* simulated({
            vaults: 2,
            start: "2026-05-30T00:00:00Z",
            now,
            revision: run,
          })
          const service = yield* changing(url, (body) => {
            if (random() > 0.25) return body
            changed += 1
            return mutated(body, random)
          })
          const ended = yield* Effect.exit(
            runOnce(service, dataDir, {
              api: { ...asAdmin, retryBudgetSeconds: 1, maxResponseMegabytes: 1 },
            }),
          )
          // A run that the service stops says so; nothing else may.
          if (Exit.isFailure(ended))
            expect(String(ended.cause)).toMatch(/ApiError|UsageError|NothingLoaded/)
        }
        expect(changed).toBeGreaterThan(RUNS * 5)
        for (const table of replayedTables) {
          const name = `${table.schema}.${table.name}`
          const lost = yield* query(
            dataDir,
            `select count(*)::integer as rows from ${name} t anti join raw.responses r on t._response_id = r.response_id
             where t._response_id is not null`,
          )
          expect(lost, name).toEqual([{ rows: 0 }])
        }
        const before = yield* content(dataDir)
        expect(before.some(({ rows }) => Number(rows) > 50)).toBe(true)
        loseTheWarehouse(dataDir)
        yield* replayed(dataDir)
        expect(yield* content(dataDir)).toEqual(before)
        noteFigures("whole runs", {
          runs: RUNS,
          "responses changed": changed,
          "tables equal after a replay": before.length,
        })
      }).pipe(Effect.scoped),
    RUNS * HANG_SECONDS * 1000,
  )
})
