// A trace of what a service sends in a body of a few megabytes, which would be a hundred times as long if it were indented.
import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { vaulthouse } from "../../cli/command.ts"
import { json, scriptedServer } from "../../support/servers/scriptedServer.ts"
import { temporaryFolder } from "../../support/temporaryFolder.ts"
import { runOnce } from "../../support/warehouseRun.ts"
import { get, startServer } from "../support.ts"

const address = `0x${"ab".repeat(20)}`
const nested: unknown = Array.from({ length: 96 }).reduce<unknown>(
  (within) => [within],
  Array.from({ length: 150_000 }, () => 0),
)
const vault = { address, chain: 1, nested }

const left = /[\s(]([\d,]+) more characters/

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

      const headers = {
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
      }
      const post = (message: object, more: Record<string, string> = {}) =>
        get(
          `${url}/api/mcp`,
          { ...headers, ...more },
          {
            method: "POST",
            body: JSON.stringify({ jsonrpc: "2.0", id: 1, ...message }),
          },
        )
      const hello = yield* post({
        method: "initialize",
        params: {
          protocolVersion: "2025-06-18",
          capabilities: {},
          clientInfo: { name: "test", version: "1" },
        },
      })
      const call = yield* post(
        {
          method: "tools/call",
          params: {
            name: "trace",
            arguments: { table: "core.vaults", column: "chain_type", vault_address: address },
          },
        },
        { "mcp-session-id": String(hello.headers["mcp-session-id"]) },
      )

      const typed = ["trace", "core.vaults", "--vault", address, "--column", "chain_type", "--body"]
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
        expect([reader, left.exec(text)?.[1]?.replaceAll(",", "")]).toEqual([
          reader,
          String(whole - 100_000),
        ])
        expect([reader, text.length < 250_000]).toEqual([reader, true])
      }
    }).pipe(Effect.scoped),
)
