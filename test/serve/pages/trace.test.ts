// Traces of long values, and of what a service sends in a body of a few megabytes, which would be a hundred times as long if it
// were indented; and which readers a trace takes.
import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { vaulthouse } from "../../cli/command.ts"
import { json, scriptedServer } from "../../support/servers/scriptedServer.ts"
import { temporaryFolder } from "../../support/temporaryFolder.ts"
import { runOnce } from "../../support/warehouseRun.ts"
import { followPublished } from "../../../src/pipelines/readers/latestCopy.ts"
import { readTracePage } from "../../../src/serve/pages/trace.ts"
import type { Site } from "../../../src/serve/site.ts"
import { get, smallWarehouse, startServer } from "../support.ts"

const small = smallWarehouse()

const address = `0x${"ab".repeat(20)}`
const nested: unknown = Array.from({ length: 96 }).reduce<unknown>(
  (within) => [within],
  Array.from({ length: 150_000 }, () => 0),
)
const vault = { address, chain: 1, nested }

const leftOut = (text: string): ReadonlyArray<string> =>
  Array.from(text.matchAll(/[\s(]([\d,]+) more characters/g), ([, digits = ""]) =>
    digits.replaceAll(",", ""),
  )

it.live("the page does not take a reader of the pages, which wait for no trace", () =>
  Effect.gen(function* () {
    const dataDir = yield* small
    const limits = { memoryLimit: "300MB", diskLimit: "100MB" }
    const latest = yield* followPublished({ ...limits, dataDir, pageReaders: 1, queryReaders: 1 })
    const site = {
      dataDir,
      archive: undefined,
      limits: { seconds: 60, rows: 10 },
      latest: { ...latest, read: () => Effect.die("a reader of the pages") },
    } as unknown as Site
    const page = yield* readTracePage(site, "core.vaults", {})
    expect(String(page.body)).toContain("Where this comes from")
  }).pipe(Effect.scoped),
)

const headers = {
  "content-type": "application/json",
  accept: "application/json, text/event-stream",
}

/** As an assistant calls the tool. */
const callTrace = Effect.fnUntraced(function* (url: string, args: Record<string, string>) {
  const post = (message: object, more: Record<string, string> = {}) =>
    get(
      `${url}/api/mcp`,
      { ...headers, ...more },
      { method: "POST", body: JSON.stringify({ jsonrpc: "2.0", id: 1, ...message }) },
    )
  const hello = yield* post({
    method: "initialize",
    params: {
      protocolVersion: "2025-06-18",
      capabilities: {},
      clientInfo: { name: "test", version: "1" },
    },
  })
  return yield* post(
    { method: "tools/call", params: { name: "trace", arguments: args } },
    { "mcp-session-id": String(hello.headers["mcp-session-id"]) },
  )
})

it.live(
  "the page, an assistant and a terminal get the beginning of a large part of a response",
  () =>
    Effect.gen(function* () {
      const dataDir = yield* temporaryFolder
      const service = yield* scriptedServer(({ url }, response) =>
        json(response, url.endsWith("active") ? [vault] : []),
      )
      yield* runOnce(service.url, dataDir, {
        pipelines: ["vaults"],
        publish: { parquet: undefined },
      })
      const url = yield* startServer(dataDir)

      const page = yield* get(`${url}/trace/core.vaults?vault_address=${address}`)
      expect(page.status).toBe(200)
      expect(page.body).toMatch(/\$\[0\].*\[\[\[\[0,0,0/s)

      const call = yield* callTrace(url, { table: "core.vaults", vault_address: address })

      const typed = ["trace", "core.vaults", "--vault", address, "--body"]
      const printed = yield* Effect.promise(() =>
        vaulthouse([...typed, "--data-dir", dataDir], { cwd: dataDir }),
      )
      expect(printed).toMatchObject({ code: 0, stderr: "" })

      const whole = JSON.stringify(vault).length
      for (const [reader, text] of Object.entries({
        page: page.body,
        // As an object and as text.
        assistant: call.body,
        terminal: printed.stdout,
      })) {
        expect([reader, leftOut(text)]).toEqual([
          reader,
          expect.arrayContaining([String(whole - 100_000)]),
        ])
        expect([reader, text.length < 250_000]).toEqual([reader, true])
      }
    }).pipe(Effect.scoped),
)

it.live(
  "an assistant and a terminal get the beginning of a value, also in an earlier version",
  () =>
    Effect.gen(function* () {
      const dataDir = yield* temporaryFolder
      let letter = "a"
      const date = new Date(Date.now() - 86_400_000).toISOString().slice(0, 10)
      const service = yield* scriptedServer(({ url }, response) =>
        json(
          response,
          url.includes("/historical_allocations/")
            ? { points: [{ date, allocations: { Aave: 100 }, note: letter.repeat(3000) }] }
            : url.endsWith("active")
              ? [{ address, chain: 1 }]
              : [],
        ),
      )
      const sync = () =>
        runOnce(service.url, dataDir, {
          pipelines: ["vaults", "allocation_history"],
          publish: { parquet: undefined },
        })
      yield* sync()
      letter = "b"
      yield* sync()

      const table = "core.allocation_history"
      const url = yield* startServer(dataDir)
      const call = yield* callTrace(url, { table, vault_address: address })
      const { structuredContent: found } = JSON.parse(call.body).result
      const [{ values, superseded }] = found.trace.origins[0].facts
      const typed = ["trace", table, "--vault", address, "--data-dir", dataDir]
      const printed = yield* Effect.promise(() => vaulthouse(typed, { cwd: dataDir }))
      const whole = yield* Effect.promise(() => vaulthouse([...typed, "--json"], { cwd: dataDir }))
      for (const [of, text] of [
        ["b", found.trace.values.extra],
        ["b", values.extra],
        ["a", superseded[0].extra],
        ["b", printed.stdout],
        ["a", printed.stdout],
      ]) {
        const shown = new RegExp(`"${of}{1900,2000}… \\(1\\d{3} more characters\\)`)
        expect(text).toMatch(shown)
        expect(whole.stdout).toContain(of.repeat(3000))
      }
    }).pipe(Effect.scoped),
)
