// How many requests a small directory costs.
import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { subaccountDirectoryPipeline } from "../../../../src/pipelines/areas/subaccounts/subaccount_directory.ts"
import { json, scriptedServer } from "../../../support/servers/scriptedServer.ts"
import { asAdmin } from "../../../support/simulated.ts"
import { temporaryFolder } from "../../../support/temporaryFolder.ts"
import { query, runOnce } from "../../../support/warehouseRun.ts"

it.live("a directory of one page costs as many requests as are expected", () =>
  Effect.gen(function* () {
    const server = yield* scriptedServer(({ url }, response) => {
      const { searchParams } = new URL(url, "http://service")
      const isFirst = searchParams.get("offset") === "0"
      json(response, isFirst ? [{ address: `0x${"1".repeat(40)}` }] : [])
    })
    const dataDir = yield* temporaryFolder
    const options = { pipelines: ["subaccounts"], api: asAdmin }
    expect((yield* runOnce(server.url, dataDir, options)).summary.outcome).toBe("complete")
    const [task] = yield* query(
      dataDir,
      "select requests::int as requests, rows_inserted::int as rows from ops.tasks where pipeline = 'subaccounts'",
    )
    expect(task).toEqual({ requests: 2, rows: 1 })
    expect(server.requests).toHaveLength(2)
    const partition = { entity: "-", subject: null }
    expect(subaccountDirectoryPipeline.expectedRequests(partition, {} as never, {} as never)).toBe(
      2,
    )
  }).pipe(Effect.scoped),
)

it.live("a record that can't be read keeps its place, so that the directory has not changed", () =>
  Effect.gen(function* () {
    const directory: ReadonlyArray<unknown> = [1, 2, 3, 4, null, 6, 7, 8, 9, 10].map((n) => ({
      address: n === null ? null : `0x${String(n).padStart(40, "0")}`,
      name: "one",
    }))
    const state = { directory }
    const server = yield* scriptedServer(({ url }, response) => {
      const offset = Number(new URL(url, "http://service").searchParams.get("offset"))
      json(response, state.directory.slice(offset))
    })
    const dataDir = yield* temporaryFolder
    const sync = Effect.gen(function* () {
      const before = server.requests.length
      yield* runOnce(server.url, dataDir, { pipelines: ["subaccounts"], api: asAdmin })
      return server.requests.length - before
    })
    const found = Effect.map(
      query(
        dataDir,
        `select (select count(*)::int from ops.quarantine where closed_at is null) as broken,
           (select count(*)::int from core.subaccounts where is_current) as rows,
           (select max_by("window", finished_at) from ops.tasks where pipeline = 'subaccounts') as last`,
      ),
      ([row]) => row,
    )
    expect(yield* sync).toBe(2)
    expect(yield* found).toEqual({ broken: 1, rows: 9, last: "directory" })
    // The same where the element is no record.
    state.directory = directory.with(4, null)
    expect(yield* sync).toBe(2)
    expect(yield* found).toMatchObject({ rows: 9, last: "directory" })
  }).pipe(Effect.scoped),
)
