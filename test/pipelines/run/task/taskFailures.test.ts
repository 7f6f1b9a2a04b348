// Whatever goes wrong in one task is that task's outcome: its neighbours land.
import { join } from "node:path"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"
import { folderStore } from "../../../../src/archive/folderStore.ts"
import { ResponseArchive } from "../../../../src/archive/ResponseArchive.ts"
import { ApiError } from "../../../../src/domain/wire/errors.ts"
import { ApiClient } from "../../../../src/extract/ApiClient.ts"
import { Warehouse } from "../../../../src/load/Warehouse.ts"
import { pipelines as catalog } from "../../../../src/pipelines/pipelines.ts"
import type {
  AnyPipeline,
  RunContext,
  TaskResults,
} from "../../../../src/pipelines/model/Pipeline.ts"
import { defaultRunSettings } from "../../../../src/pipelines/model/runSettings.ts"
import { Runner } from "../../../../src/pipelines/run/Runner.ts"
import { mapResponse } from "../../../../src/pipelines/strategies/mapResponse.ts"
import type { VaultRef } from "../../../../src/domain/subject/vault.ts"
import { coreTables } from "../../../../src/pipelines/pipelines.ts"
import { feesRows } from "../../../../src/transform/tables/transparency/fees.ts"
import { vaultDetailRows } from "../../../../src/transform/tables/vaults/vaultDetailRecords.ts"
import { expectReplays } from "../../../support/replays.ts"
import { json, scriptedServer } from "../../../support/servers/scriptedServer.ts"
import { simulated } from "../../../support/simulated.ts"
import { temporaryFolder } from "../../../support/temporaryFolder.ts"
import { change, query, runOnce } from "../../../support/warehouseRun.ts"

describe("rows that the warehouse refuses", () => {
  it.live("are quarantined with their response; the next run that can store them closes it", () =>
    Effect.gen(function* () {
      const simulator = yield* simulated({ now: "2026-06-01T12:00:00Z", days: 20, vaults: 3 })
      const dataDir = yield* temporaryFolder
      const pipelines = ["roles"]
      yield* runOnce(simulator.url, dataDir, { pipelines: ["vaults"] })
      const broken = simulator.truth.vaults[0]?.address.toLowerCase() ?? ""
      // Stands for a value that only the database finds out about.
      yield* change(
        dataDir,
        `create unique index one on core.roles ((case when vault_address = '${broken}' then 1 end))`,
        "checkpoint",
      )
      const { summary } = yield* runOnce(simulator.url, dataDir, { pipelines })
      expect(summary.outcome).toBe("partial")
      const outcomes = yield* query(
        dataDir,
        `select entity = '${broken}' as is_broken, outcome, count(*)::integer as n from ops.tasks
         where pipeline = 'roles' group by all order by all`,
      )
      expect(outcomes).toEqual([
        { is_broken: false, outcome: "loaded", n: 2 },
        { is_broken: true, outcome: "quarantined", n: 1 },
      ])
      const entries = () =>
        query(dataDir, "select entity, closed_at is null as is_open from ops.quarantine")
      expect(yield* entries()).toEqual([{ entity: broken, is_open: true }])
      yield* change(dataDir, "drop index core.one", "checkpoint")
      const again = yield* runOnce(simulator.url, dataDir, { pipelines })
      expect(again.summary.outcome).toBe("complete")
      expect(yield* entries()).toEqual([{ entity: broken, is_open: false }])
      yield* expectReplays(dataDir)
    }),
  )
})

describe("a mapping that throws", () => {
  it("is a contract violation", () => {
    const lineage = { responseId: "r", receivedAt: 0 }
    const mapped = mapResponse(
      () => {
        throw new RangeError("too deep")
      },
      {},
      { lineage, subject: null, inputs: {}, timeFields: [] },
    )
    expect(mapped).toMatchObject({
      _tag: "Failure",
      failure: { path: "$", detail: expect.stringContaining("too deep") as unknown },
    })
  })
})

const lineage = { responseId: "r", receivedAt: 0 }
const address = `0x${"1".repeat(40)}`
const subject: VaultRef = {
  address,
  wireAddress: address,
  chainId: 1,
  kind: "evm",
  startedOn: undefined,
}
const source = { lineage, subject, inputs: {}, timeFields: [] }

describe("a list of mixed content in a field that no table takes", () => {
  it("is kept as it came", () => {
    const tags = ["new", { since: 1 }]
    const body = { management_fee_pct: 1, performance_fee_pct: 2, tags }
    const mapped = Result.getOrThrow(mapResponse(feesRows, body, source))
    expect(mapped.rejected).toEqual([])
    const extra = mapped.rows[0]?.table.columns.findIndex(({ name }) => name === "extra") ?? 0
    expect(mapped.rows[0]?.columns[extra]).toEqual([JSON.stringify({ tags })])
  })
})

describe("a list of mixed content within a column that is stored as sent", () => {
  it("is kept as it came", () => {
    const performance = { monthly: [null, { month: "2026-10", apy: 0.03 }] }
    const fee_structure = { tiers: ["base", { from: 0, bps: 50 }] }
    const mapped = Result.getOrThrow(
      mapResponse(vaultDetailRows, { vault_name: "Alpha", performance, fee_structure }, source),
    )
    expect(mapped.rejected).toEqual([])
    const values = JSON.stringify(mapped.rows.map(({ columns }) => columns)).replaceAll("\\", "")
    expect(values).toContain('{"monthly":[null,{"apy":0.03')
    expect(values).toContain('{"tiers":["base",{"bps":50')
  })
})

describe("a list of texts and records, of which the document does not say what it holds (§2.9)", () => {
  const byName = (name: string) => catalog.find((each) => each.name === name)!
  const map = (pipeline: string, body: unknown, requested: unknown) =>
    Result.getOrThrow(
      mapResponse<unknown, unknown>((decoded, from) => byName(pipeline).rows(decoded, from), body, {
        lineage: { responseId: "r", receivedAt: 0 },
        subject: requested,
        inputs: {},
        timeFields: [],
      }),
    )

  it("lands whole as a column, and as warnings", () => {
    const revert_reasons = ["Error(string): low", { selector: "0x1" }]
    const reasons = map("revert_reasons", { revert_reasons }, { chainId: 1, hash: "0x1" })
    expect(reasons.rejected).toEqual([])
    expect(JSON.stringify(reasons.rows[0]?.columns)).toContain("Error(string): low")
    const warnings = ["custody of owner not read", { code: "CUSTODY" }]
    const vault = { address, wireAddress: address, chainId: 1, kind: "evm" }
    const roles = map("roles", { roles: [{ role: "owner", address }], warnings }, vault)
    expect(roles.rejected).toEqual([])
    const warned = roles.rows.find(({ table }) => table.name === "observation_warnings")
    expect(warned?.length).toBe(2)
  })
})

const context: RunContext = { ...defaultRunSettings, now: 0, today: 0 }
const state = { cursor: () => undefined, openGaps: [], isSkipped: () => false }
const otc = catalog.find(({ name }) => name === "otc_positions")

/** Reads partitions of a pipeline one after the other, in a warehouse of their own. */
const readAll = (dataDir: string, results: Readonly<Record<string, TaskResults>>) => {
  if (otc === undefined) throw new Error("no such pipeline")
  const pipeline: AnyPipeline = {
    ...otc,
    read: ({ entity }) => results[entity] ?? Stream.empty,
  }
  const runId = "20260601T000000000Z-000000"
  const services = Layer.mergeAll(
    Warehouse.layer({ dataDir, tables: coreTables, runId }),
    ResponseArchive.layer({
      store: folderStore(join(dataDir, "raw")),
      runId,
      notBefore: 0,
      known: new Map(),
    }),
    Layer.mock(ApiClient)({ clockSkewSeconds: Effect.succeed(undefined) }),
  )
  return Effect.gen(function* () {
    const options = { runId, taskTimeoutSeconds: 60, hasKey: true, onProgress: () => undefined }
    const runner = new Runner(options, [])
    yield* runner.begin(pipeline, 1)
    for (const entity of Object.keys(results)) {
      yield* runner.read(pipeline, { partition: { entity, subject: null }, state }, context)
    }
    yield* runner.finish(pipeline)
    return runner.tallies.get(pipeline.name)?.outcomes
  }).pipe(Effect.provide(services))
}

const result = { window: "snapshot", rows: [], responses: [], requests: 1 }

describe("a partition whose reading stops with a defect", () => {
  it.live("fails alone", () =>
    Effect.gen(function* () {
      const dataDir = yield* temporaryFolder
      const outcomes = yield* readAll(dataDir, {
        broken: Stream.die(new RangeError("Maximum call stack size exceeded")),
        fine: Stream.make(result),
      })
      expect(outcomes).toEqual({ failed: 1, empty: 1 })
      const tasks = yield* query(
        dataDir,
        "select entity, error_tag, error_text from ops.tasks where outcome = 'failed'",
      )
      expect(tasks).toMatchObject([{ entity: "broken", error_tag: "Defect" }])
      expect(String(tasks[0]?.["error_text"])).toContain("Maximum call stack size exceeded")
    }),
  )
})

describe("a refusal of one partition", () => {
  // A worker does not know what the key opened for the others; the planner, which does, stops offering.
  it.live("says nothing to a runner about the next one that it is given", () =>
    Effect.gen(function* () {
      const dataDir = yield* temporaryFolder
      const refused = new ApiError({
        reason: { _tag: "Unauthorized" },
        endpoint: "otc_positions",
        subject: "a",
        status: 401,
        detail: "not authorized",
        attempts: 1,
        responses: [],
      })
      const outcomes = yield* readAll(dataDir, { a: Stream.fail(refused), b: Stream.make(result) })
      expect(outcomes).toEqual({ skipped: 1, empty: 1 })
      const tasks = yield* query(
        dataDir,
        "select entity, requests::integer as requests from ops.tasks order by 1",
      )
      expect(tasks).toEqual([
        { entity: "a", requests: 1 },
        { entity: "b", requests: 1 },
      ])
    }),
  )
})

describe("records that break the contract", () => {
  it.live("are set aside alone: the others land, and nothing is retired by their list", () =>
    Effect.gen(function* () {
      const vault = (n: number, chain?: number) => ({
        address: `0x${n.toString(16).padStart(40, "0")}`,
        ...(chain === undefined ? {} : { chain }),
      })
      let active: ReadonlyArray<object | null> = [vault(1, 1), vault(2, 1)]
      const server = yield* scriptedServer(({ url }, response) => {
        json(response, url.endsWith("status=active") ? active : [])
      })
      const dataDir = yield* temporaryFolder
      const sync = Effect.map(
        runOnce(server.url, dataDir, { pipelines: ["vaults"] }),
        ({ summary }) => summary.outcome,
      )
      const current = Effect.map(
        query(dataDir, "select vault_address from core.vaults where is_current order by 1"),
        (rows) => rows.map((row) => Number(row["vault_address"])),
      )
      const entries = query(
        dataDir,
        "select entity, json_path, closed_at is null as is_open from ops.quarantine",
      )
      expect(yield* sync).toBe("complete")
      active = [vault(1, 1), vault(3), vault(4, 1)]
      expect(yield* sync).toBe("partial")
      expect(yield* current).toEqual([1, 2, 4])
      expect(yield* entries).toMatchObject([{ entity: "-", is_open: true }])
      expect(String((yield* entries)[0]?.["json_path"])).toContain("[1]")
      // What is no record at all is set aside like one.
      active = [vault(1, 1), null, vault(4, 1)]
      expect(yield* sync).toBe("partial")
      expect(yield* current).toEqual([1, 2, 4])
      active = [vault(1, 1), vault(4, 1)]
      expect(yield* sync).toBe("complete")
      expect(yield* current).toEqual([1, 4])
      const states = (yield* entries).map((entry) => entry["is_open"])
      expect(new Set(states)).toEqual(new Set([false]))
      yield* expectReplays(dataDir)
    }),
  )

  it.live("are quarantined one by one, each with its place in the body", () =>
    Effect.gen(function* () {
      const dataDir = yield* temporaryFolder
      const rejected = [3, 5].map((index) => ({
        path: `$.entries[${index}].summary`,
        detail: "is null; expected text",
        responseId: "r1",
      }))
      const outcomes = yield* readAll(dataDir, { one: Stream.make({ ...result, rejected }) })
      expect(outcomes).toEqual({ quarantined: 1 })
      expect(
        yield* query(dataDir, "select response_id, json_path from ops.quarantine order by all"),
      ).toEqual(rejected.map(({ path }) => ({ response_id: "r1", json_path: path })))
      expect(yield* query(dataDir, "select error_text from ops.tasks")).toEqual([
        {
          error_text:
            "2 records are in quarantine because they are not as documented, the first at $.entries[3].summary: is null; expected text; the others landed",
        },
      ])
    }),
  )
})
