// Tries `vaulthouse mcp`, and the same tools on `vaulthouse serve`, with the official SDK's client, which checks every answer against the protocol and the declared
// results. node test/mcp/main.ts FOLDER, where the client of package.json is installed.
import { type ChildProcess, spawn } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { pathToFileURL } from "node:url"
import { makeExampleWarehouse } from "../../demo/exampleWarehouse.ts"

interface Result {
  readonly isError?: boolean
  readonly structuredContent?: Readonly<Record<string, unknown>>
  readonly content: ReadonlyArray<{ readonly text?: string }>
}

interface Client {
  readonly connect: (transport: unknown) => Promise<void>
  readonly close: () => Promise<void>
  readonly listTools: () => Promise<{ tools: ReadonlyArray<{ name: string }> }>
  readonly listResources: () => Promise<{ resources: ReadonlyArray<{ uri: string }> }>
  readonly readResource: (of: { uri: string }) => Promise<{ contents: ReadonlyArray<unknown> }>
  readonly callTool: (
    of: { name: string; arguments?: unknown },
    schema: undefined,
    options: { timeout: number },
  ) => Promise<Result>
}

type Class<T> = new (...args: ReadonlyArray<unknown>) => T

const [installed = ""] = process.argv.slice(2)

const load = async (file: string): Promise<Readonly<Record<string, unknown>>> =>
  (await import(
    pathToFileURL(join(installed, "node_modules/@modelcontextprotocol/sdk/dist/esm/client", file))
      .href
  )) as Readonly<Record<string, unknown>>

const { Client: SdkClient } = (await load("index.js")) as { Client: Class<Client> }
const { StdioClientTransport } = (await load("stdio.js")) as {
  StdioClientTransport: Class<unknown>
}
const { StreamableHTTPClientTransport } = (await load("streamableHttp.js")) as {
  StreamableHTTPClientTransport: Class<unknown>
}

/** Milliseconds; the SDK gives up after a minute. */
const patient = { timeout: 600_000 }

const require = (holds: boolean, what: string): void => {
  if (!holds) throw new Error(`not so: ${what}`)
  process.stdout.write(`${what}\n`)
}

const folder = mkdtempSync(join(tmpdir(), "vaulthouse-mcp-"))
const example = await makeExampleWarehouse(folder)
const command = join(import.meta.dirname, "../../bin/vaulthouse")
const env = { PATH: process.env["PATH"] ?? "", HOME: folder }

const tryOut = async (transport: unknown, how: string): Promise<void> => {
  const client = new SdkClient({ name: "vaulthouse-test", version: "1" })
  await client.connect(transport)
  try {
    await tryTools(client, how)
  } finally {
    await client.close()
  }
}

const tryTools = async (client: Client, how: string): Promise<void> => {
  const { tools } = await client.listTools()
  require(tools.length === 6, `${how}: it has ${tools.length} tools`)
  const calls: ReadonlyArray<readonly [name: string, args: unknown, holds: string]> = [
    ["list_tables", { schema: "mart" }, "mart.vault_latest"],
    ["describe_table", { table: "mart.vault_latest" }, "collateral_ratio"],
    ["worked_questions", {}, "weekly-report"],
    ["worked_questions", { name: "weekly-report" }, "getvariable"],
    ["query", { sql: "select vault_name, ratio_at from mart.vault_latest" }, "vault_name"],
    ["status", {}, "published"],
  ]
  for (const [name, args, holds] of calls) {
    const { isError, structuredContent } = await client.callTool(
      { name, arguments: args },
      undefined,
      patient,
    )
    const isRight = isError !== true && JSON.stringify(structuredContent).includes(holds)
    require(isRight, `${how}: ${name} ${JSON.stringify(args)} has ${holds}`)
  }
  const withRatio = "select vault_address from mart.vault_latest where collateral_ratio > 0"
  const found = await client.callTool(
    { name: "query", arguments: { sql: withRatio } },
    undefined,
    patient,
  )
  const { rows } = found.structuredContent as { readonly rows: ReadonlyArray<readonly [string]> }
  const traced = await client.callTool(
    {
      name: "trace",
      arguments: {
        table: "mart.vault_latest",
        column: "collateral_ratio",
        vault_address: rows[0]?.[0],
      },
    },
    undefined,
    patient,
  )
  require(JSON.stringify(traced.structuredContent).includes(
    "body_sha256",
  ), `${how}: trace has a response`)
  const refused = await client.callTool(
    { name: "query", arguments: { sql: "drop table x" } },
    undefined,
    patient,
  )
  require(refused.isError === true, `${how}: what writes is refused`)
  const { resources } = await client.listResources()
  for (const { uri } of resources) {
    const { contents } = await client.readResource({ uri })
    require(JSON.stringify(contents).length > 1000, `${how}: ${uri} can be read`)
  }
}

/** `vaulthouse serve` with a token, and where it listens. */
const served = async (): Promise<{ readonly url: URL; readonly process: ChildProcess }> => {
  const child = spawn(
    command,
    ["serve", "--port", "0", "--timeout", "10min", "--data-dir", join(folder, "data")],
    {
      env: { ...env, VAULTHOUSE_SERVE_TOKEN: TOKEN },
      stdio: ["ignore", "pipe", "inherit"],
    },
  )
  for await (const line of createInterface({ input: child.stdout })) {
    const [address] = /http:\S+/.exec(line) ?? []
    if (address !== undefined) return { url: new URL("/api/mcp", address), process: child }
  }
  throw new Error("serve ended")
}

const TOKEN = "a token of twenty characters"

try {
  const args = ["mcp", "--timeout", "10min", "--data-dir", join(folder, "data")]
  await tryOut(new StdioClientTransport({ command, args, env }), "stdio")
  const { url, process: server } = await served()
  try {
    const headers = { Authorization: `Bearer ${TOKEN}` }
    await tryOut(new StreamableHTTPClientTransport(url, { requestInit: { headers } }), "HTTP")
    const isRefused = await tryOut(new StreamableHTTPClientTransport(url), "HTTP").then(
      () => false,
      () => true,
    )
    require(isRefused, "HTTP: without the token it is refused")
  } finally {
    server.kill("SIGTERM")
  }
} finally {
  await example.close()
  rmSync(folder, { recursive: true, force: true })
}
