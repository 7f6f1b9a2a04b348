// A warehouse that was lost while its archive stayed: a replay that stopped, a run that came first, a clock that was
// ahead.
import { copyFileSync, existsSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { zstdCompressSync } from "node:zlib"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { TestClock } from "effect/testing"
import { microsFromMillis } from "../../../src/domain/values/time.ts"
import { folderStore } from "../../../src/archive/folderStore.ts"
import { readWholeFrames } from "../../../src/archive/readFrames.ts"
import { prune } from "../../../src/pipelines/archive/prune.ts"
import { Warehouse } from "../../../src/load/Warehouse.ts"
import { coreTables } from "../../../src/pipelines/pipelines.ts"
import { loseTheWarehouse, replayed, segments } from "../../support/replays.ts"
import { json, scriptedServer } from "../../support/servers/scriptedServer.ts"
import { asAdmin, simulated } from "../../support/simulated.ts"
import { temporaryFolder } from "../../support/temporaryFolder.ts"
import { change, query, runOnce } from "../../support/warehouseRun.ts"

/** A directory of one subaccount, whose label changes from run to run, and a warehouse of it. */
const labelled = Effect.gen(function* () {
  const state = { label: "first" }
  const server = yield* scriptedServer(({ url }, response) => {
    const { pathname, searchParams } = new URL(url, "http://localhost")
    const isFirst = pathname === "/subaccount" && Number(searchParams.get("offset")) === 0
    const subaccount = { address: `0x${"ab".repeat(20)}`, status: "active", label: state.label }
    json(response, isFirst ? [subaccount] : [])
  })
  const dataDir = yield* temporaryFolder
  /** The segment the run wrote: names of two runs of one second say nothing of which was first. */
  const sync = Effect.fnUntraced(function* (label: string) {
    state.label = label
    const before = new Set(existsSync(join(dataDir, "raw")) ? segments(dataDir) : [])
    yield* runOnce(server.url, dataDir, { pipelines: ["subaccounts"], api: asAdmin })
    return segments(dataDir).find((file) => !before.has(file)) ?? ""
  })
  return { dataDir, sync }
})

const labels = (dataDir: string) =>
  Effect.map(
    query(
      dataDir,
      "select row_to_json(t)::varchar as row from core.subaccounts t order by valid_from",
    ),
    (rows) => rows.map(({ row }) => /first|second|third|fourth/.exec(String(row))?.[0]),
  )

const indexed = (dataDir: string) =>
  Effect.map(query(dataDir, "select count(*)::integer as n from raw.responses"), ([row]) =>
    Number(row?.["n"]),
  )

describe("a warehouse made again from its archive", () => {
  it.live(
    "leaves open what a later window need not have, until the next run has read everything",
    () =>
      Effect.gen(function* () {
        const simulator = yield* simulated({ vaults: 1, days: 5, now: "2026-06-01T00:00:00Z" })
        const dataDir = yield* temporaryFolder
        const sync = runOnce(simulator.url, dataDir, { pipelines: ["ratio_history"] })
        yield* sync
        simulator.patch({
          now: "2026-06-02T00:00:00Z",
          faults: [{ kind: "contract-break", match: "fields=ratio" }],
        })
        yield* sync
        simulator.patch({ faults: [] })
        yield* sync
        const open = Effect.map(
          query(dataDir, "select 1 from ops.quarantine where closed_at is null"),
          ({ length }) => length,
        )
        expect(yield* open).toBe(0)
        loseTheWarehouse(dataDir)
        yield* replayed(dataDir)
        expect(yield* open).toBe(1)
        yield* sync
        expect(yield* open).toBe(0)
      }),
  )

  it.live("retires nothing by a page that pruning kept for its body alone", () =>
    Effect.gen(function* () {
      let label = "first"
      const server = yield* scriptedServer(({ url }, response) => {
        const { pathname, searchParams } = new URL(url, "http://localhost")
        const offset = Number(searchParams.get("offset") ?? 0)
        const all = Array.from({ length: 1200 }, (_, at) => ({
          address: `0x${String(at).padStart(40, "0")}`,
          status: "active",
          label: at === 1199 ? label : "same",
        }))
        json(response, pathname === "/subaccount" ? all.slice(offset, offset + 1000) : [])
      })
      const dataDir = yield* temporaryFolder
      const sync = (pipeline: string) =>
        runOnce(server.url, dataDir, { pipelines: [pipeline], api: asAdmin })
      yield* sync("subaccounts")
      // After it, all bodies of the directory are archived again.
      yield* sync("vaults")
      yield* sync("subaccounts")
      label = "second"
      yield* sync("subaccounts")
      yield* prune({ dataDir, olderThanDays: 0, dryRun: false })
      const stored = query(
        dataDir,
        "select count(*)::integer as rows, count(valid_to)::integer as ended, sum(hash(t))::varchar as content from core.subaccounts t",
      )
      const before = yield* stored
      loseTheWarehouse(dataDir)
      yield* replayed(dataDir)
      expect(yield* stored).toEqual(before)
    }),
  )

  it.live("has all of it after a replay that could not read a segment", () =>
    Effect.gen(function* () {
      const { dataDir, sync } = yield* labelled
      yield* sync("first")
      yield* sync("second")
      const last = yield* sync("third")
      const before = yield* indexed(dataDir)
      const path = join(dataDir, "raw", last)
      copyFileSync(path, join(dataDir, "whole"))
      const bytes = readFileSync(path)
      bytes.fill(255, 8, 16)
      writeFileSync(path, bytes)
      loseTheWarehouse(dataDir)
      const error = yield* Effect.flip(replayed(dataDir))
      expect(error.message).toContain(last)
      expect(yield* indexed(dataDir)).toBe(0)
      // Back from a backup.
      copyFileSync(join(dataDir, "whole"), path)
      yield* replayed(dataDir)
      expect(yield* indexed(dataDir)).toBe(before)
      expect(yield* labels(dataDir)).toEqual(["first", "second", "third"])
    }),
  )

  it.live("has what came before a run that was first, and prune waits for it", () =>
    Effect.gen(function* () {
      const { dataDir, sync } = yield* labelled
      yield* sync("first")
      yield* sync("second")
      const before = yield* indexed(dataDir)
      const old = segments(dataDir)
      loseTheWarehouse(dataDir)
      yield* sync("third")
      yield* sync("third")
      const since = yield* indexed(dataDir)
      expect((yield* prune({ dataDir, olderThanDays: 0, dryRun: false })).dropped).toBeGreaterThan(
        0,
      )
      expect(segments(dataDir)).toEqual(expect.arrayContaining([...old]))
      const left = yield* indexed(dataDir)
      expect(left).toBeLessThan(since)
      yield* replayed(dataDir)
      expect(yield* labels(dataDir)).toEqual(["first", "second", "third"])
      expect(yield* indexed(dataDir)).toBe(left + before)
      // Known from now on: nothing more is found.
      const again = yield* replayed(dataDir)
      expect(again.tables.filter(({ isSame }) => !isSame)).toEqual([])
      expect(yield* indexed(dataDir)).toBe(left + before)
    }),
  )

  it.live("that is back from a backup prunes no body that a later run refers to", () =>
    Effect.gen(function* () {
      const { dataDir, sync } = yield* labelled
      yield* sync("first")
      copyFileSync(join(dataDir, "vaulthouse.duckdb"), join(dataDir, "backup"))
      yield* sync("first")
      loseTheWarehouse(dataDir)
      copyFileSync(join(dataDir, "backup"), join(dataDir, "vaulthouse.duckdb"))
      // So that no row needs the first run.
      yield* change(dataDir, "delete from core.subaccounts")
      expect((yield* prune({ dataDir, olderThanDays: 0, dryRun: false })).dropped).toBeGreaterThan(
        0,
      )
      yield* replayed(dataDir)
      expect(yield* labels(dataDir)).toEqual(["first"])
    }),
  )

  it.live("makes nothing of what a killed run left, whether or not it knows the run", () =>
    Effect.gen(function* () {
      const { dataDir, sync } = yield* labelled
      yield* sync("first")
      const killed = yield* sync("second")
      const frames: Array<Buffer> = []
      yield* Effect.promise(async () => {
        for await (const { responses } of readWholeFrames(
          folderStore(join(dataDir, "raw")),
          killed,
        )) {
          const text = responses.map(({ bytes }) => `${bytes.toString()}\n`).join("")
          if (text !== "") frames.push(zstdCompressSync(Buffer.from(text)))
        }
      })
      writeFileSync(join(dataDir, "raw", killed), Buffer.concat(frames))
      loseTheWarehouse(dataDir)
      yield* sync("third")
      yield* replayed(dataDir)
      expect(yield* labels(dataDir)).toEqual(["first", "third"])
      // A run of this warehouse, which was ended after it had said what it was about to commit.
      yield* sync("third")
      const newest = (yield* sync("fourth")).replace(".ndjson.zst", "")
      yield* change(
        dataDir,
        `delete from core.subaccounts
         where _response_id in (select response_id from raw.responses where run_id = '${newest}')`,
        `delete from raw.responses where run_id = '${newest}'`,
      )
      yield* replayed(dataDir)
      expect(yield* labels(dataDir)).toEqual(["first", "third"])
      expect((yield* prune({ dataDir, olderThanDays: 0, dryRun: false })).dropped).toBeGreaterThan(
        0,
      )
      expect(segments(dataDir).filter((file) => file.startsWith(newest))).toEqual([])
    }),
  )

  it.effect("goes on behind its newest answer, though the clock has been set back", () =>
    Effect.gen(function* () {
      const dataDir = yield* temporaryFolder
      const warehouse = Warehouse.layer({ dataDir, tables: coreTables, runId: "run" })
      const ahead = Date.UTC(2030, 0, 1)
      yield* TestClock.setTime(Date.UTC(2026, 0, 1))
      yield* Effect.flatMap(Warehouse, ({ execute }) =>
        execute([
          `insert into raw.responses (response_id, run_id, endpoint, method, url, status, received_at,
             bytes, body_sha256, archive_file, archive_offset, archive_length)
           values ('r', 'lost', 'fees', 'GET', 'u', 200, make_timestamp(${microsFromMillis(ahead)}::bigint),
             1, 's', 'f', 0, 1)`,
        ]),
      ).pipe(Effect.provide(warehouse))
      const openedAt = yield* Effect.map(Warehouse, (opened) => opened.openedAt).pipe(
        Effect.provide(Warehouse.layer({ dataDir, tables: coreTables, runId: "next" })),
      )
      expect(openedAt).toBe(microsFromMillis(ahead))
    }),
  )
})
