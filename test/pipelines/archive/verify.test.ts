// What is said of bodies that the archive has lost, of damaged ones, of moved ones, and of lost commit markers.
import { readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { zstdCompressSync, zstdDecompressSync } from "node:zlib"
import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Logger from "effect/Logger"
import { folderStore } from "../../../src/archive/folderStore.ts"
import { readFrames } from "../../../src/archive/readFrames.ts"
import { lockOf } from "../../../src/load/lock/waitForLock.ts"
import { compact } from "../../../src/pipelines/archive/compact.ts"
import { verify } from "../../../src/pipelines/archive/verify.ts"
import { replacingPromise } from "../../support/disk/replacing.ts"
import { expectReplays } from "../../support/replays.ts"
import { json, scriptedServer } from "../../support/servers/scriptedServer.ts"
import { asAdmin, simulated } from "../../support/simulated.ts"
import { temporaryFolder } from "../../support/temporaryFolder.ts"
import { untilSo } from "../../support/until.ts"
import { runOnce } from "../../support/warehouseRun.ts"

it.live("each damage of a segment is one finding, with how many bodies it is about", () =>
  Effect.gen(function* () {
    const server = yield* scriptedServer(({ url }, response) => {
      const { searchParams } = new URL(url, "http://service")
      const isFirst = searchParams.get("offset") === "0"
      json(response, isFirst ? [{ address: `0x${"1".repeat(40)}` }] : [])
    })
    const dataDir = yield* temporaryFolder
    const publish = { parquet: { marts: false } }
    const { summary } = yield* runOnce(server.url, dataDir, {
      pipelines: ["subaccounts"],
      api: asAdmin,
      publish,
    })
    const folder = join(dataDir, "raw")
    const [segment = ""] = readdirSync(folder)
    const file = join(folder, segment)
    const whole = readFileSync(file)
    const frames = yield* Effect.promise(async () => {
      const found: Array<Buffer> = []
      for await (const { place } of readFrames(folderStore(folder), segment)) {
        found.push(whole.subarray(place.offset, place.offset + place.length))
      }
      return found
    })
    const [first = whole, second = whole, ...markers] = frames
    /** What is found where the segment is of these frames, or is gone and its frames are in another. */
    const findings = (bytes: ReadonlyArray<Buffer>, name = segment) =>
      Effect.gen(function* () {
        rmSync(file, { force: true })
        writeFileSync(join(folder, name), Buffer.concat(bytes))
        const found = yield* verify({ dataDir })
        rmSync(join(folder, name))
        return found.map(({ kind, path, detail }) => [
          kind,
          path,
          detail.replace(/response \S+/, "response X"),
        ])
      })
    const path = `raw/${segment}`
    expect(yield* findings(frames)).toEqual([])
    expect(yield* findings([first, second])).toEqual([
      [
        "missing",
        path,
        `2 committed responses of run ${summary.runId} have no commit marker; a replay without the database would leave them out`,
      ],
    ])
    const lost = `the body of response X is not in the archive; its frame was at byte ${first.length}`
    expect(yield* findings([first, ...markers])).toEqual([["missing", path, lost]])
    expect(yield* findings([second, first, ...markers])).toEqual([
      [
        "missing",
        path,
        expect.stringMatching(/^1 body that the published index has there is elsewhere /),
      ],
    ])
    expect(yield* findings(frames, `20260101T000000000Z-000000.ndjson.zst`)).toEqual([
      [
        "missing",
        path,
        expect.stringMatching(/^2 bodies that the published index has there are elsewhere /),
      ],
    ])
    /** A frame of these, in which the bodies are others than their checksums say. */
    const altered = (...of: ReadonlyArray<Buffer>) => {
      const lines = of.map((frame) =>
        zstdDecompressSync(frame)
          .toString()
          .replace(/"sha256":"(.)/, (_, digit) => `"sha256":"${digit === "0" ? "1" : "0"}`),
      )
      return zstdCompressSync(lines.join(""))
    }
    const damaged = `the frame at byte ${first.length}: `
    const [one, ...none] = yield* findings([first, altered(second), ...markers])
    expect([one, none]).toEqual([["unreadable", path, expect.stringContaining(damaged)], []])
    expect(one?.[2]).not.toMatch(/ more in this frame$/)
    expect(yield* findings([altered(first, second), ...markers])).toEqual([
      [
        "unreadable",
        path,
        expect.stringMatching(/^the frame at byte 0: .* and 1 more in this frame$/),
      ],
      ["missing", path, lost],
    ])
    expect(yield* verify({ dataDir })).toEqual([
      {
        kind: "missing",
        path: `raw/${segment}`,
        detail: expect.stringMatching(
          /^the segment is gone, and with it the body of response \S+ and of 1 more$/,
        ),
      },
    ])
  }).pipe(Effect.scoped),
)

it.live(
  "a response without its line, or whose marker says that it did not land, is a finding",
  () =>
    Effect.gen(function* () {
      let name = "before"
      const server = yield* scriptedServer(({ url }, response) => {
        const { searchParams } = new URL(url, "http://service")
        const isFirst = searchParams.get("offset") === "0"
        json(response, isFirst ? [{ address: `0x${"1".repeat(40)}`, name }] : [])
      })
      const dataDir = yield* temporaryFolder
      const publish = { parquet: { marts: false } }
      const sync = runOnce(server.url, dataDir, {
        pipelines: ["subaccounts"],
        api: asAdmin,
        publish,
      })
      yield* sync
      const folder = join(dataDir, "raw")
      const [first = ""] = readdirSync(folder)
      name = "after"
      const { summary } = yield* sync
      const segment = readdirSync(folder).find((found) => found !== first) ?? ""
      const file = join(folder, segment)
      const whole = readFileSync(file)
      const lines = yield* Effect.promise(async () => {
        const found: Array<string> = []
        for await (const { place } of readFrames(folderStore(folder), segment)) {
          const frame = whole.subarray(place.offset, place.offset + place.length)
          found.push(...zstdDecompressSync(frame).toString().trimEnd().split("\n"))
        }
        return found
      })
      const findings = (of: ReadonlyArray<string>) =>
        Effect.suspend(() => {
          writeFileSync(file, zstdCompressSync(of.map((line) => `${line}\n`).join("")))
          return verify({ dataDir })
        })
      const path = `raw/${segment}`
      expect(lines.filter((line) => line.includes("is_elsewhere"))).toHaveLength(1)
      expect(yield* findings(lines)).toEqual([])
      expect(yield* findings(lines.filter((line) => !line.includes("is_elsewhere")))).toEqual([
        {
          kind: "missing",
          path,
          detail: `1 committed response of run ${summary.runId} is not in the archive; a replay without the database would leave it out`,
        },
      ])
      const notLanded = lines.map((line) =>
        line.replace(/"landed":\[(.+?)\],"not_landed":\[/, '"landed":[],"not_landed":[$1,'),
      )
      expect(yield* findings(notLanded)).toEqual([
        {
          kind: "missing",
          path,
          detail: `1 committed response of run ${summary.runId} did not land by the last commit marker; a replay without the database would leave it out; \`vaulthouse compact\` records that it landed`,
        },
      ])
      yield* compact({ dataDir, publish })
      expect(yield* verify({ dataDir })).toEqual([])
      yield* expectReplays(dataDir)
    }).pipe(Effect.scoped),
)

it.live("what a run publishes meanwhile is no damage", () =>
  Effect.gen(function* () {
    const simulator = yield* simulated({ now: "2026-06-01T12:00:00Z", days: 5, vaults: 2 })
    const dataDir = yield* temporaryFolder
    const sync = runOnce(simulator.url, dataDir, { publish: { parquet: { marts: false } } })
    yield* sync
    simulator.patch({ now: "2026-06-02T12:00:00Z" })
    const run = yield* Effect.forkChild(sync)
    while (run.pollUnsafe() === undefined) expect(yield* verify({ dataDir })).toEqual([])
    yield* Fiber.join(run)
  }),
)

it.live("a segment that a run removes meanwhile is no damage", () =>
  Effect.gen(function* () {
    const simulator = yield* simulated({ now: "2026-06-01T12:00:00Z", days: 5, vaults: 1 })
    const dataDir = yield* temporaryFolder
    yield* runOnce(simulator.url, dataDir, { pipelines: ["vaults"] })
    const folder = join(dataDir, "raw")
    const [kept = ""] = readdirSync(folder)
    // It is read after the other.
    const replaced = join(folder, `Z${kept}`)
    writeFileSync(replaced, readFileSync(join(folder, kept)))
    yield* replacingPromise("open", (open) => (path, ...more) => {
      if (path === join(folder, kept)) rmSync(replaced, { force: true })
      return open(path, ...more)
    })
    const nothingPublished = { kind: "missing", path: "published/vaulthouse.duckdb" }
    expect(yield* verify({ dataDir })).toMatchObject([nothingPublished])
    expect(readdirSync(folder)).toEqual([kept])
  }).pipe(Effect.scoped),
)

it.live("a segment that a run removes while the folder is listed is no damage", () =>
  Effect.gen(function* () {
    const simulator = yield* simulated({ now: "2026-06-01T12:00:00Z", days: 5, vaults: 1 })
    const dataDir = yield* temporaryFolder
    yield* runOnce(simulator.url, dataDir, { pipelines: ["vaults"] })
    const folder = join(dataDir, "raw")
    const [kept = ""] = readdirSync(folder)
    const removed = `Z${kept}`
    writeFileSync(join(folder, removed), readFileSync(join(folder, kept)))
    yield* replacingPromise("lstat", (lstat) => {
      const listing = async (path: string): Promise<unknown> => {
        if (path === join(folder, removed)) rmSync(path, { force: true })
        return lstat(path)
      }
      return listing as typeof lstat
    })
    const nothingPublished = { kind: "missing", path: "published/vaulthouse.duckdb" }
    expect(yield* verify({ dataDir })).toMatchObject([nothingPublished])
    expect(readdirSync(folder)).toEqual([kept])
  }).pipe(Effect.scoped),
)

it.live(
  "what a publication has half of is no damage while it is under way, and is once its process is gone",
  () => {
    const logged: Array<string> = []
    const log = Logger.layer([Logger.make(({ message }) => void logged.push(String(message)))])
    return Effect.gen(function* () {
      const simulator = yield* simulated({ now: "2026-06-01T12:00:00Z", days: 5, vaults: 1 })
      const dataDir = yield* temporaryFolder
      const publish = { parquet: { marts: false } }
      yield* runOnce(simulator.url, dataDir, { pipelines: ["vaults"], publish })
      // As where a first export has written files, and nothing leads to them yet.
      const current = join(dataDir, "parquet/current")
      const half = () => renameSync(current, `${current}.later`)
      half()
      const unfinished = join(dataDir, "published/.tmp-unfinished")
      const publishing = Effect.gen(function* () {
        yield* lockOf(dataDir, "writer", {})
        writeFileSync(unfinished, "vaulthouse-next.duckdb")
        let isVerified = false
        const verifying = yield* Effect.forkChild(
          Effect.tap(verify({ dataDir }), () => Effect.sync(() => (isVerified = true))),
        )
        yield* untilSo("verify waits", () => logged.length > 0)
        expect(logged).toEqual([expect.stringContaining("a publication is under way")])
        expect(isVerified).toBe(false)
        renameSync(`${current}.later`, current)
        rmSync(unfinished)
        return yield* Fiber.join(verifying)
      })
      expect(yield* Effect.scoped(publishing)).toEqual([])
      writeFileSync(unfinished, "vaulthouse-next.duckdb")
      half()
      const left = [{ kind: "missing", path: "parquet/current/manifest.json" }]
      expect(yield* verify({ dataDir })).toMatchObject(left)
      // Another process has the lock since, and does something else.
      const later = Effect.andThen(lockOf(dataDir, "writer", {}), verify({ dataDir }))
      expect(yield* Effect.scoped(Effect.andThen(Effect.sleep("20 millis"), later))).toMatchObject(
        left,
      )
    }).pipe(Effect.provide(log))
  },
)
