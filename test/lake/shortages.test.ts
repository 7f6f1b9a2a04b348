// A PostgreSQL with too few connections, and an object store that is overloaded: a sync goes on, or says what it lacks, and the
// next one has every row.
import { once } from "node:events"
import { writeFileSync } from "node:fs"
import { createServer, request as forward } from "node:http"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { start } from "../cli/command.ts"
import { newPrefix, objectStoreVariables, objectVariables } from "../support/servers/objectStore.ts"
import { newDatabase, password, sharedPostgres } from "../support/servers/postgres.ts"
import { simulated } from "../support/simulated.ts"
import { temporaryFolder } from "../support/temporaryFolder.ts"
import { extensions, lake, newCatalog } from "./lake.ts"

/** Before the object store that all tests share: what it does not refuse, it passes on. */
const overloadedStore = Effect.acquireRelease(
  Effect.promise(async () => {
    const { port } = new URL(objectStoreVariables().AWS_ENDPOINT_URL_S3)
    const state = { isRefused: (_method: string): boolean => false, refused: 0 }
    const server = createServer((request, response) => {
      const { method = "GET", url = "/", headers } = request
      if (state.isRefused(method)) {
        state.refused += 1
        request.resume().on("end", () => {
          response.writeHead(503, { "content-type": "application/xml" })
          response.end(
            "<Error><Code>SlowDown</Code><Message>Please reduce your request rate.</Message></Error>",
          )
        })
        return
      }
      const onward = forward({ host: "127.0.0.1", port, method, path: url, headers })
      onward.on("error", () => response.destroy())
      onward.on("response", (answer) => {
        response.writeHead(answer.statusCode ?? 500, answer.rawHeaders)
        answer.pipe(response)
      })
      request.pipe(onward)
    })
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
    return { state, port: (server.address() as AddressInfo).port, server }
  }),
  ({ server }) =>
    Effect.sync(() => {
      server.closeAllConnections()
      server.close()
    }),
)

describe.skipIf(lake === undefined)("a lake that lacks", () => {
  /** Runs a command in a process of its own, and resolves with how it ended. */
  const prepared = Effect.fnUntraced(function* (
    catalog: string,
    data: string,
    archive: string,
    env: Readonly<Record<string, string>> = {},
  ) {
    const cwd = yield* temporaryFolder
    const simulator = yield* simulated({ now: "2026-06-01T12:00:00Z", vaults: 2, days: 20 })
    writeFileSync(
      join(cwd, "vaulthouse.config.yaml"),
      [
        `baseUrl: ${simulator.url}`,
        `warehouse: "ducklake:${catalog}"`,
        `archive: ${archive}`,
        `lake: { data: "${data}", extensions: "${extensions}" }`,
        "pipelines: [vaults, ratio_history]",
        "parquet: { enabled: false }",
      ].join("\n"),
    )
    return (...args: ReadonlyArray<string>) =>
      Effect.promise(async () => {
        const child = start(args, { cwd, env })
        const ended = { stdout: "", stderr: "" }
        for (const name of ["stdout", "stderr"] as const) {
          child[name].on("data", (text) => (ended[name] += String(text)))
        }
        const [code] = (await once(child, "close")) as [number | null]
        return { code, ...ended }
      })
  })
  type Run = Effect.Success<ReturnType<typeof prepared>>

  const inOverloadedStore = Effect.gen(function* () {
    const { state, port } = yield* overloadedStore
    const catalog = yield* Effect.promise(newCatalog)
    const run = yield* prepared(catalog, newPrefix(), newPrefix(), objectVariables(port))
    return { state, run }
  })

  const sync = ["sync", "--no-progress"]

  /** Besides logs, one sentence on what is lacking, and what to do. */
  const expectClear = (ended: Effect.Success<ReturnType<Run>>, lacking: string): void => {
    expect(ended, ended.stderr).toMatchObject({ code: 1 })
    const lines = ended.stderr.split("\n").filter((line) => !/^($|\{)/.test(line))
    expect(lines).toEqual([expect.stringMatching(/^vaulthouse: .*\.$/)])
    expect(lines[0]).toContain(lacking)
  }

  const expectAllRows = Effect.fnUntraced(function* (run: Run) {
    const ended = yield* run(...sync)
    expect(ended, ended.stderr).toMatchObject({ code: 0 })
    const checked = yield* run("check", "--against-archive")
    expect(checked, checked.stdout).toMatchObject({ code: 0 })
    expect(checked.stdout).toMatch(/All \d+ tables match the [1-9]\d* responses, bit for bit/)
    const counted = yield* run("query", "--format", "csv", "select count(*) from core.vaults")
    expect(counted.stdout.trim().split(/\s+/).at(-1)).toBe("2")
  })

  it.live("connections to PostgreSQL says so, however many it has", () =>
    Effect.gen(function* () {
      const { query, url } = sharedPostgres()
      const database = yield* Effect.promise(newDatabase)
      const role = `few_${database}`
      const catalog = new URL(url(database))
      catalog.username = role
      const limitTo = (connections: number) =>
        Effect.promise(() => query(`alter role ${role} connection limit ${connections}`))
      yield* Effect.promise(() => query(`create role ${role} login password '${password}'`))
      yield* Effect.promise(() => query(`alter database ${database} owner to ${role}`))
      const cwd = yield* temporaryFolder
      const run = yield* prepared(catalog.href, join(cwd, "files"), join(cwd, "archive"))
      for (let connections = 0; connections < 6; connections++) {
        yield* limitTo(connections)
        const ended = yield* run(...sync)
        // How many it needs at once depends on what it does at once.
        if (connections >= 3 && ended.code === 0) continue
        expectClear(ended, "too many connections for role")
        expectClear(ended, "End connections to it that nothing needs, or raise its limit")
        expect(ended.stderr).not.toContain("FATAL")
      }
      yield* limitTo(-1)
      yield* expectAllRows(run)
    }),
  )

  it.live("an object store that takes every request goes on with most of them", () =>
    Effect.gen(function* () {
      const { state, run } = yield* inOverloadedStore
      let requests = 0
      state.isRefused = () => ++requests % 3 === 0
      const first = yield* run(...sync)
      expect(first, first.stderr).toMatchObject({ code: 0 })
      expect(state.refused).toBeGreaterThan(2)
      const maintained = yield* run("maintain")
      expect(maintained, maintained.stderr).toMatchObject({ code: 0 })
      state.isRefused = () => false
      yield* expectAllRows(run)
    }),
  )

  it.live("an object store that takes writes says so, and loses nothing", () =>
    Effect.gen(function* () {
      const { state, run } = yield* inOverloadedStore
      state.isRefused = (method) => method === "PUT" || method === "POST"
      expectClear(yield* run(...sync), "Try again later")
      state.isRefused = (method) => method === "HEAD" || method === "GET"
      expectClear(yield* run(...sync), "Try again later")
      state.isRefused = () => false
      yield* expectAllRows(run)
    }),
  )
})
