// Which disks are looked at, how far a clock may be off, and what the responses say about a key.
import { join } from "node:path"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import * as TestClock from "effect/testing/TestClock"
import { defaultWire } from "../../../src/extract/request.ts"
import {
  checkArchive,
  checkDisks,
  checkKey,
  checkNode,
  checkService,
  checkWarehouse,
  failedCheck,
} from "../../../src/pipelines/service/doctor.ts"
import { turned } from "../../support/client.ts"
import { json, type Script, scriptedServer } from "../../support/servers/scriptedServer.ts"
import { temporaryFolder } from "../../support/temporaryFolder.ts"

const serviceAt = (baseUrl: string, apiKey?: string) => ({
  api: {
    baseUrl,
    apiKey: apiKey === undefined ? undefined : Redacted.make(apiKey),
    wire: defaultWire,
    requestTimeoutSeconds: 600,
    retryBudgetSeconds: 600,
    maxResponseMegabytes: 64,
  },
  pace: {},
})

it("Node is new enough from 24 on", () => {
  expect(["v23.9.1", "v24.0.0", "26.1.0"].map((version) => checkNode(version).state)).toEqual([
    "failed",
    "ok",
    "ok",
  ])
})

it.live("the disks of folders are looked at, also of those that are not there yet", () =>
  Effect.gen(function* () {
    const dataDir = yield* temporaryFolder
    const there = join(dataDir, "not/yet")
    const checksOf = (place: Partial<Parameters<typeof checkDisks>[0]>) =>
      Effect.map(checkDisks({ dataDir, ...place }), (checks) =>
        checks.map(({ check, detail }) => [check, detail.replace(/^[\d.]+ GB/, "n GB")]),
      )
    const own = ["disk", `n GB free for ${dataDir}`]
    const lake = { data: there, extensions: undefined }
    const warehouse = "ducklake:catalog.ducklake" as never
    expect(yield* checksOf({})).toEqual([own])
    expect(yield* checksOf({ dataDir: there })).toEqual([["disk", `n GB free for ${there}`]])
    expect(yield* checksOf({ archive: there })).toEqual([
      own,
      ["disk of the archive", `n GB free for ${there}`],
    ])
    expect(yield* checksOf({ archive: "s3://bucket/archive" })).toEqual([own])
    expect(yield* checksOf({ lake })).toEqual([own])
    expect(yield* checksOf({ warehouse: "file", lake })).toEqual([own])
    expect(yield* checksOf({ warehouse })).toEqual([own])
    expect(yield* checksOf({ warehouse, lake: { ...lake, data: "s3://bucket/lake" } })).toEqual([
      own,
    ])
    expect(yield* checksOf({ warehouse, lake })).toEqual([
      own,
      ["disk of the lake", `n GB free for ${there}`],
    ])
  }),
)

it.live("an archive in the data directory needs no check, and a warehouse may be missing", () =>
  Effect.gen(function* () {
    const dataDir = yield* temporaryFolder
    expect(yield* checkArchive({ dataDir })).toEqual([])
    expect(yield* checkWarehouse({ dataDir })).toMatchObject({
      check: "warehouse",
      state: "skipped",
      detail: expect.stringMatching(/^none in .* yet; the first `sync` creates it$/),
    })
    expect(yield* failedCheck("disk")({ why: "it is full", advice: "Free some." })).toEqual({
      check: "disk",
      state: "failed",
      detail: "it is full",
      advice: "Free some.",
    })
  }),
)

describe("the clock", () => {
  const clockOf = (secondsAhead: number | undefined) =>
    Effect.gen(function* () {
      const now = Date.parse("2026-06-01T12:00:00Z")
      // In the middle of the second that the header names.
      yield* TestClock.setTime(now + 500)
      const { url } = yield* scriptedServer((_, response) => {
        response.sendDate = false
        if (secondsAhead !== undefined) {
          response.setHeader("date", new Date(now + secondsAhead * 1000).toUTCString())
        }
        json(response, [])
      })
      const { result } = yield* turned(checkService(serviceAt(url)))
      return Result.getOrThrow(result).find(({ check }) => check === "clock")
    }).pipe(Effect.scoped)

  it.effect.each([
    [0, "ok", "the same"],
    [60, "ok", "60 s ahead"],
    [61, "warning", "61 s ahead"],
    [-60, "ok", "60 s behind"],
    [-61, "warning", "61 s behind"],
    [7199, "warning", "7199 s ahead"],
    [7200, "failed", "7200 s ahead"],
    [-7200, "failed", "7200 s behind"],
  ] as const)("that is %d s off is %s", ([seconds, state, shown]) =>
    Effect.gen(function* () {
      const found = yield* clockOf(seconds)
      expect(found?.state).toBe(state)
      expect(found?.detail).toBe(`the service's clock is ${shown}`)
      expect(found?.advice?.startsWith("A run would load nothing.") ?? false).toBe(
        state === "failed",
      )
    }),
  )

  it.effect("is compared with nothing where the service sends no date", () =>
    Effect.gen(function* () {
      expect(yield* clockOf(undefined)).toMatchObject({ state: "skipped" })
    }),
  )
})

describe("a key", () => {
  const keyAt = (respond: Script, apiKey?: string) =>
    Effect.gen(function* () {
      const server = yield* scriptedServer(respond)
      const { result } = yield* turned(checkKey(serviceAt(server.url, apiKey), { slow: false }))
      return { ...Result.getOrThrow(result), requests: server.requests.length }
    }).pipe(Effect.scoped)
  const always =
    (status: number): Script =>
    (_, response) =>
      void response.writeHead(status, { "content-type": "application/json" }).end("{}")

  it.effect.each([undefined, ""])("that is %j costs no request", (apiKey) =>
    Effect.gen(function* () {
      expect(yield* keyAt(always(200), apiKey)).toEqual({
        check: { check: "key", state: "skipped", detail: "none is set: public data only" },
        access: [],
        requests: 0,
      })
    }),
  )

  it.effect.each([
    [403, "failed", "the service knows it, but grants it no access (403)"],
    [401, "failed", "the service does not know it (401)"],
    [500, "warning", "the responses do not show what it gives access to"],
  ] as const)("to which everything responds %d: %s", ([status, state, detail]) =>
    Effect.gen(function* () {
      const { check } = yield* keyAt(always(status), "sk-live-27182818284590")
      expect(check).toMatchObject({ check: "key", state, detail })
      expect(check.advice).not.toBe("")
    }),
  )

  it.effect("a 429 leaves one endpoint unclear, and the others are asked after its pause", () =>
    Effect.gen(function* () {
      let isLimited = false
      const limitedOnce: Script = (request, response) => {
        const isFirst = !isLimited && !request.url.includes("tokenized_vault")
        isLimited ||= isFirst
        json(response, {}, isFirst ? 429 : 403)
      }
      const { access } = yield* keyAt(limitedOnce, "sk-live-27182818284590")
      expect(access.filter((row) => row.access === "unclear")).toHaveLength(1)
      expect(access.filter((row) => row.access === "forbidden").length).toBeGreaterThan(1)
    }),
  )
})
