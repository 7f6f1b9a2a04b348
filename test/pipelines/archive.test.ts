// What the archive tells of its responses beside what they say: kept by prune, missed after a kill, not told by older
// versions.
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { zstdCompressSync } from "node:zlib"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { defaultTimeFields } from "../../src/domain/timeFields.ts"
import { allColumns } from "../../src/domain/table.ts"
import { closingLine } from "../../src/extract/archiveLines.ts"
import { type Frame, readSegment } from "../../src/extract/archiveSegments.ts"
import { pipelines as catalog } from "../../src/pipelines/catalog.ts"
import { prune } from "../../src/pipelines/archive/prune.ts"
import { replay } from "../../src/pipelines/archive/replay.ts"
import { json, scriptedServer } from "../support/scriptedServer.ts"
import { asAdmin, simulated } from "../support/simulated.ts"
import { temporaryFolder } from "../support/temporaryFolder.ts"
import { query, runOnce } from "../support/warehouseRun.ts"

const tables = [...new Set(catalog.flatMap((pipeline) => pipeline.tables))]

const content = (dataDir: string) =>
  query(
    dataDir,
    tables
      .map((table) => {
        const columns = allColumns(table).map(({ name }) => name)
        return `select '${table.name}' as name, count(*)::integer as rows, sum(hash(t))::varchar as content
          from (select ${columns.join(", ")} from core.${table.name}) t`
      })
      .join(" union all "),
  )

const replayed = (dataDir: string, timeFields = defaultTimeFields) =>
  replay({ dataDir, timeFields, publish: undefined, onResponse: () => undefined })

const loseTheWarehouse = (dataDir: string): void => {
  rmSync(join(dataDir, "vaulthouse.duckdb"))
  rmSync(join(dataDir, "vaulthouse.duckdb.wal"), { force: true })
}

const address = (n: number) => `0x${n.toString(16).padStart(40, "0")}`

/** A directory of as many subaccounts, of which the named ones are said to be inactive. */
const directory = (state: { size: number; inactive: ReadonlyArray<number>; isBroken: boolean }) =>
  scriptedServer(({ url }, response) => {
    const { pathname, searchParams } = new URL(url, "http://localhost")
    if (pathname !== "/subaccount") return json(response, [])
    const offset = Number(searchParams.get("offset"))
    if (state.isBroken && offset > 0) return json(response, { detail: "no" }, 418)
    const page = Array.from({ length: state.size }, (_, n) => n).slice(offset, offset + 1000)
    json(
      response,
      page.map((n) => ({
        address: address(n),
        status: state.inactive.includes(n) ? "inactive" : "active",
      })),
    )
  })

const subaccounts = (dataDir: string) =>
  query(
    dataDir,
    "select is_current, count(*)::integer as n from core.subaccounts group by all order by all",
  )

const segments = (dataDir: string): ReadonlyArray<string> =>
  readdirSync(join(dataDir, "raw")).toSorted()

/** Writes a segment anew, with these lines of each frame. */
const rewritten = (
  dataDir: string,
  file: string,
  linesOf: (frame: Frame) => ReadonlyArray<string>,
) =>
  Effect.promise(async () => {
    const frames: Array<Buffer> = []
    for await (const frame of readSegment(join(dataDir, "raw"), file)) {
      const lines = linesOf(frame)
      if (lines.length > 0) frames.push(zstdCompressSync(Buffer.from(`${lines.join("\n")}\n`)))
    }
    writeFileSync(join(dataDir, "raw", file), Buffer.concat(frames))
  })

/** As a version before closings wrote it. */
const inFirstFormat = ({ lines }: Frame): ReadonlyArray<string> =>
  lines.map(({ text }) => text.replace('{"format":2,', "{"))

describe("a pruned archive", () => {
  it.live("keeps the answer that ended the last of a set, and all the pages of one it keeps", () =>
    Effect.gen(function* () {
      const state = { size: 1500, inactive: [] as ReadonlyArray<number>, isBroken: false }
      const server = yield* directory(state)
      const dataDir = yield* temporaryFolder
      const sync = runOnce(server.url, dataDir, { pipelines: ["subaccounts"], api: asAdmin })
      yield* sync
      state.inactive = [3]
      yield* sync
      state.size = 0
      yield* sync
      yield* sync
      yield* sync
      expect(yield* subaccounts(dataDir)).toEqual([{ is_current: false, n: 1501 }])
      const before = yield* content(dataDir)
      const pruned = yield* prune({ dataDir, olderThanDays: 0, dryRun: false })
      expect(pruned.dropped).toBeGreaterThan(0)
      const again = yield* replayed(dataDir)
      expect(again.tables.filter(({ isSame }) => !isSame)).toEqual([])
      loseTheWarehouse(dataDir)
      yield* replayed(dataDir)
      const after = yield* content(dataDir)
      expect(after.filter((row, at) => row["content"] !== before[at]?.["content"])).toEqual([])
    }),
  )
})

describe("an archive without its warehouse", () => {
  it.live("makes nothing of what came just before a kill", () =>
    Effect.gen(function* () {
      const state = { size: 1500, inactive: [] as ReadonlyArray<number>, isBroken: false }
      const server = yield* directory(state)
      const dataDir = yield* temporaryFolder
      const sync = runOnce(server.url, dataDir, { pipelines: ["subaccounts"], api: asAdmin })
      yield* sync
      const before = yield* content(dataDir)
      state.size = 1400
      const whole = new Set(segments(dataDir))
      yield* sync
      // Two runs of one second are in no order.
      const killed = segments(dataDir).find((file) => !whole.has(file)) ?? ""
      yield* rewritten(dataDir, killed, ({ lines }) => lines.map(({ text }) => text))
      loseTheWarehouse(dataDir)
      yield* replayed(dataDir)
      expect(yield* content(dataDir)).toEqual(before)
      // The next run goes on from there.
      yield* sync
      expect(yield* subaccounts(dataDir)).toEqual([
        { is_current: false, n: 100 },
        { is_current: true, n: 1400 },
      ])
    }),
  )

  it.live("of an older version makes its rows, and takes no part of a walk for all of it", () =>
    Effect.gen(function* () {
      const state = { size: 1500, inactive: [] as ReadonlyArray<number>, isBroken: false }
      const server = yield* directory(state)
      const dataDir = yield* temporaryFolder
      const sync = runOnce(server.url, dataDir, { pipelines: ["subaccounts"], api: asAdmin })
      yield* sync
      state.isBroken = true
      state.inactive = [3]
      yield* sync
      state.isBroken = false
      state.size = 0
      yield* sync
      const states = () =>
        query(
          dataDir,
          "select subaccount_address, status, is_current from core.subaccounts order by all",
        )
      const before = yield* states()
      for (const file of segments(dataDir)) yield* rewritten(dataDir, file, inFirstFormat)
      loseTheWarehouse(dataDir)
      yield* replayed(dataDir)
      expect(yield* subaccounts(dataDir)).toEqual([
        { is_current: false, n: 1 },
        { is_current: true, n: 1500 },
      ])
      expect(yield* states()).toEqual(before)
    }),
  )

  it.live("leaves out what could not be read, and makes rows of it once it can be", () =>
    Effect.gen(function* () {
      const simulator = yield* simulated({
        vaults: 1,
        days: 20,
        now: "2026-06-01T00:00:00Z",
        timeField: "measured_on",
      })
      const dataDir = yield* temporaryFolder
      yield* runOnce(simulator.url, dataDir, { pipelines: ["ratio_history", "fees"] })
      const before = yield* content(dataDir)
      expect(before).toContainEqual(expect.objectContaining({ name: "fees", rows: 1 }))
      loseTheWarehouse(dataDir)
      yield* replayed(dataDir)
      expect(yield* content(dataDir)).toEqual(before)
      loseTheWarehouse(dataDir)
      yield* replayed(dataDir, ["measured_on", ...defaultTimeFields])
      const [ratio] = yield* query(dataDir, "select count(*)::integer as n from core.ratio_history")
      expect(ratio?.["n"]).toBeGreaterThan(400)
    }),
  )

  it.live("says of every response what became of it, in lines anyone can read", () =>
    Effect.gen(function* () {
      const simulator = yield* simulated({ vaults: 3, days: 20, now: "2026-06-01T00:00:00Z" })
      const dataDir = yield* temporaryFolder
      yield* runOnce(simulator.url, dataDir, { api: asAdmin })
      const [file = ""] = segments(dataDir)
      expect(readFileSync(join(dataDir, "raw", file)).length).toBeGreaterThan(0)
      const told = new Map<string, unknown>()
      const lines: Array<string> = []
      yield* Effect.promise(async () => {
        for await (const { closings } of readSegment(join(dataDir, "raw"), file)) {
          for (const closing of closings) {
            lines.push(closingLine(closing))
            const { pipeline, entity, window } = closing
            for (const id of closing.landed) told.set(id, [pipeline, entity, window, true])
            for (const id of closing.notLanded) told.set(id, [pipeline, entity, window, false])
          }
        }
      })
      const index = yield* query(
        dataDir,
        `select response_id, [pipeline, entity, "window"] as task, is_landed from raw.responses`,
      )
      expect(index.length).toBeGreaterThan(30)
      expect(index.length).toBe(told.size)
      for (const row of index) {
        const task = row["task"] as ReadonlyArray<unknown>
        expect(told.get(String(row["response_id"]))).toEqual([...task, row["is_landed"]])
      }
      const ofVaults = lines
        .map((line) => JSON.parse(line) as { readonly closing: Record<string, unknown> })
        .find(({ closing }) => closing["pipeline"] === "vaults")
      expect(ofVaults).toMatchObject({
        closing: { entity: "-", window: "active", outcome: "landed", not_landed: [] },
      })
    }),
  )
})
