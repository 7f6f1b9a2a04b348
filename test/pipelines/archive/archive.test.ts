// What the archive says of its responses: commit markers that prune keeps, that a kill leaves out, that a cut loses; and
// bodies of any bytes.
import { readFileSync, truncateSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { zstdCompressSync } from "node:zlib"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { defaultTimeFields } from "../../../src/domain/wire/timeFields.ts"
import { commitMarkerLine } from "../../../src/archive/lines.ts"
import { folderStore } from "../../../src/archive/folderStore.ts"
import { type Frame, readWholeFrames } from "../../../src/archive/readFrames.ts"
import { replayQuarantine } from "../../../src/pipelines/archive/replayQuarantine.ts"
import { verify } from "../../../src/pipelines/archive/verify.ts"
import { prune } from "../../../src/pipelines/archive/prune.ts"
import { warehouseIn } from "../../../src/pipelines/archive/rebuild.ts"
import { readHealth } from "../../../src/pipelines/publication/health.ts"
import { pruneBefore } from "../../../src/pipelines/retention/pruneBefore.ts"
import { vaulthouse } from "../../cli/command.ts"
import {
  content,
  loseTheWarehouse,
  replayed,
  replayOptions,
  segments,
} from "../../support/replays.ts"
import { json, scriptedServer } from "../../support/servers/scriptedServer.ts"
import { asAdmin, simulated } from "../../support/simulated.ts"
import { temporaryFolder } from "../../support/temporaryFolder.ts"
import { change, query, runOnce } from "../../support/warehouseRun.ts"

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

/** Writes a segment anew, with these lines of each frame. */
const rewritten = (
  dataDir: string,
  file: string,
  linesOf: (frame: Frame) => ReadonlyArray<string>,
) =>
  Effect.promise(async () => {
    const frames: Array<Buffer> = []
    for await (const frame of readWholeFrames(folderStore(join(dataDir, "raw")), file)) {
      const lines = linesOf(frame)
      if (lines.length > 0) frames.push(zstdCompressSync(Buffer.from(`${lines.join("\n")}\n`)))
    }
    writeFileSync(join(dataDir, "raw", file), Buffer.concat(frames))
  })

describe("a pruned archive", () => {
  it.live("keeps all the pages of a set that was read across the instant of pruning", () =>
    Effect.gen(function* () {
      const server = yield* directory({ size: 1500, inactive: [], isBroken: false })
      const dataDir = yield* temporaryFolder
      const sync = runOnce(server.url, dataDir, { pipelines: ["subaccounts"], api: asAdmin })
      yield* sync
      // It names no row, and its bodies are those of the first.
      yield* sync
      const before = yield* content(dataDir)
      const [newest] = yield* query(
        dataDir,
        "select epoch_us(max(received_at))::double as at from raw.responses where is_landed",
      )
      yield* Effect.gen(function* () {
        const { finish } = yield* pruneBefore({ dataDir }, Number(newest?.["at"]), false)
        yield* finish
      }).pipe(Effect.provide(warehouseIn({ dataDir })))
      yield* replayed(dataDir)
      expect(yield* content(dataDir)).toEqual(before)
    }),
  )

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
      yield* rewritten(dataDir, killed, ({ responses }) =>
        responses.map(({ bytes }) => bytes.toString()),
      )
      loseTheWarehouse(dataDir)
      const { unended } = yield* replayed(dataDir)
      expect(unended).toEqual([
        { runId: killed.replace(".ndjson.zst", ""), file: killed, unmarked: 2 },
      ])
      expect(yield* content(dataDir)).toEqual(before)
      // The next run goes on from there.
      yield* sync
      expect(yield* subaccounts(dataDir)).toEqual([
        { is_current: false, n: 100 },
        { is_current: true, n: 1400 },
      ])
    }),
  )

  it.live("keeps what could not be read in quarantine, and loads it from there for good", () =>
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
      const timeFields = ["measured_on", ...defaultTimeFields]
      yield* replayed(dataDir, timeFields)
      expect(yield* content(dataDir)).toEqual(before)
      const loaded = yield* replayQuarantine(replayOptions(dataDir, timeFields))
      expect(loaded).toMatchObject({ closed: 1, stillBroken: [] })
      expect((yield* readHealth(dataDir))?.quarantine).toEqual([])
      const [ratio] = yield* query(dataDir, "select count(*)::integer as n from core.ratio_history")
      expect(ratio?.["n"]).toBeGreaterThan(400)
      const after = yield* content(dataDir)
      loseTheWarehouse(dataDir)
      yield* replayed(dataDir, timeFields)
      expect(yield* content(dataDir)).toEqual(after)
    }),
  )

  it.live("says of every response what became of it, in lines anyone can read", () =>
    Effect.gen(function* () {
      const simulator = yield* simulated({ vaults: 2, days: 5, now: "2026-06-01T00:00:00Z" })
      const dataDir = yield* temporaryFolder
      yield* runOnce(simulator.url, dataDir, { api: asAdmin })
      const [file = ""] = segments(dataDir)
      expect(readFileSync(join(dataDir, "raw", file)).length).toBeGreaterThan(0)
      const commits = new Map<string, unknown>()
      const lines: Array<string> = []
      yield* Effect.promise(async () => {
        for await (const { markers } of readWholeFrames(folderStore(join(dataDir, "raw")), file)) {
          for (const marker of markers) {
            lines.push(commitMarkerLine(marker).toString())
            const { pipeline, entity, window } = marker
            for (const id of marker.landed) commits.set(id, [pipeline, entity, window, true])
            for (const id of marker.notLanded) commits.set(id, [pipeline, entity, window, false])
          }
        }
      })
      const index = yield* query(
        dataDir,
        `select response_id, [pipeline, entity, "window"] as task, is_landed from raw.responses`,
      )
      expect(index.length).toBeGreaterThan(30)
      expect(index.length).toBe(commits.size)
      for (const row of index) {
        const task = row["task"] as ReadonlyArray<unknown>
        expect(commits.get(String(row["response_id"]))).toEqual([...task, row["is_landed"]])
      }
      const ofVaults = lines
        .map((line) => JSON.parse(line) as { readonly commit: Record<string, unknown> })
        .find(({ commit }) => commit["pipeline"] === "vaults")
      expect(ofVaults).toMatchObject({
        commit: { entity: "-", window: "active and closed", outcome: "landed", not_landed: [] },
      })
    }),
  )
})

describe("a segment that was cut", () => {
  it.live(
    "within its last commit markers is a finding, and a replay without the rest says so",
    () =>
      Effect.gen(function* () {
        const state = { size: 3, inactive: [], isBroken: false }
        const server = yield* directory(state)
        const dataDir = yield* temporaryFolder
        const publish = { parquet: { marts: false } }
        yield* runOnce(server.url, dataDir, { pipelines: ["subaccounts"], api: asAdmin, publish })
        expect(yield* verify({ dataDir })).toEqual([])
        const [file = ""] = segments(dataDir)
        const places = yield* Effect.promise(async () => {
          const offsets: Array<number> = []
          for await (const { place, markers } of readWholeFrames(
            folderStore(join(dataDir, "raw")),
            file,
          )) {
            if (markers.length > 0) offsets.push(place.offset)
          }
          return offsets
        })
        truncateSync(join(dataDir, "raw", file), places.at(-1))
        expect(yield* verify({ dataDir })).toMatchObject([
          {
            kind: "missing",
            path: `raw/${file}`,
            detail: expect.stringContaining("commit marker"),
          },
        ])
        loseTheWarehouse(dataDir)
        const { code, stdout } = yield* Effect.promise(() =>
          vaulthouse(["replay", "--data-dir", dataDir, "--no-publish"], { cwd: dataDir }),
        )
        expect(code).toBe(3)
        expect(stdout).toContain(`raw/${file} is incomplete: `)
      }),
  )
})

it.live("a response in quarantine ends nothing that is on the other pages of its set", () =>
  Effect.gen(function* () {
    const server = yield* directory({ size: 1500, inactive: [], isBroken: false })
    const dataDir = yield* temporaryFolder
    const sync = runOnce(server.url, dataDir, { pipelines: ["subaccounts"], api: asAdmin })
    yield* sync
    const before = yield* content(dataDir)
    yield* sync
    // As if an earlier version could not have stored what the second reading found.
    const second = "run_id = (select max_by(run_id, received_at) from raw.responses)"
    yield* change(
      dataDir,
      `update raw.responses set is_landed = false, is_suspicious = null where ${second}`,
      `insert into ops.quarantine
         (response_id, endpoint, pipeline, entity, "window", json_path, detail, run_id, quarantined_at)
       select response_id, endpoint, pipeline, entity, "window", '$', 'x', run_id, received_at
       from raw.responses where ${second} order by received_at desc limit 1`,
      "checkpoint",
    )
    const loaded = yield* replayQuarantine(replayOptions(dataDir))
    expect(yield* content(dataDir)).toEqual(before)
    expect(loaded).toMatchObject({
      closed: 0,
      stillBroken: [{ detail: expect.stringContaining("the next `sync` reads all of it") }],
    })
  }),
)

it.live("an archive elsewhere is verified although nothing is published here", () =>
  Effect.gen(function* () {
    const server = yield* directory({ size: 3, inactive: [], isBroken: false })
    const archive = join(yield* temporaryFolder, "raw")
    const dataDir = yield* temporaryFolder
    yield* runOnce(server.url, dataDir, { pipelines: ["subaccounts"], api: asAdmin, archive })
    const elsewhere = { dataDir: yield* temporaryFolder, archive }
    expect(yield* verify(elsewhere)).toMatchObject([
      { kind: "missing", path: "published/vaulthouse.duckdb" },
    ])
  }),
)
