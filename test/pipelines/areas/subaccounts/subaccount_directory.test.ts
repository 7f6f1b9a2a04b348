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
