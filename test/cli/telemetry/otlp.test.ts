// OpenTelemetry: a collector receives one trace a run and the metrics that the run's own report has, and no secret.
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { mkdirSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, expect, it } from "vitest"
import { startSimulator } from "../../../simulator/index.ts"
import { exitCodes } from "../../../src/cli/parse/exit.ts"
import { acquireLock } from "../../../src/load/lock/LockFile.ts"
import { type Collector, type Span, startCollector } from "../../support/servers/collector.ts"
import { vaulthouse } from "../command.ts"

const key = "sk-live-31415926535897"
const token = "otlp-token-271828"
let cwd = ""
beforeAll(() => {
  cwd = mkdtempSync(join(tmpdir(), "vaulthouse-otlp-"))
})
afterAll(() => rmSync(cwd, { recursive: true }))

const variables = (url: string) => ({
  OTEL_EXPORTER_OTLP_ENDPOINT: url,
  OTEL_EXPORTER_OTLP_PROTOCOL: "http/json",
  OTEL_EXPORTER_OTLP_HEADERS: `x-token=${token}`,
  OTEL_RESOURCE_ATTRIBUTES: "deployment.environment=test,team=a%20b",
  VAULTHOUSE_API_KEY: key,
})

interface Summary {
  readonly run_id: string
  readonly requests: number
  readonly rows_inserted: number
  readonly pipelines: ReadonlyArray<{ readonly requests: number }>
}

const expectNoSecret = (collector: Collector, more = ""): void => {
  const received = collector.bodies.join("\n") + more
  for (const secret of [key, token]) expect(received).not.toContain(secret)
}

it("one trace a run, with the numbers of its report and no secret", async () => {
  const { collector, url, close } = await startCollector()
  const simulator = await startSimulator({
    days: 3,
    vaults: 2,
    keys: { [key]: "user" },
    // A service that repeats the key in what it complains about.
    faults: [
      { kind: "status", status: 403, detail: `no such key: ${key}`, match: "fields=ratio" },
      { kind: "rate-limit", match: "historical_apy", count: 1, retryAfterSeconds: 0 },
    ],
  })
  const args = ["sync", "ratio_history", "apy_history", "--base-url", simulator.url, "--json"]
  const { code, stdout, stderr } = await vaulthouse(args, { cwd, env: variables(url) })
  await simulator.close()
  await close()
  expect(code).toBe(0)
  const summary = JSON.parse(stdout) as Summary
  const { spans, metrics, resource } = collector

  expect(resource).toMatchObject({
    "service.name": "vaulthouse",
    "deployment.environment": "test",
    team: "a b",
  })
  expect(collector.headers.every((headers) => headers["x-token"] === token)).toBe(true)
  expectNoSecret(collector, stdout + stderr)

  expect(new Set(spans.map(({ traceId }) => traceId)).size).toBe(1)
  const [run] = named(spans, "run")
  expect(run?.attributes).toMatchObject({
    run_id: summary.run_id,
    outcome: "complete",
    requests: summary.requests,
    rows_inserted: summary.rows_inserted,
  })
  const path = (span: Span | undefined): ReadonlyArray<string> =>
    span === undefined
      ? []
      : [...path(spans.find(({ spanId }) => spanId === span.parentSpanId)), span.name]
  const requests = spans.filter(({ name }) => name.startsWith("request "))
  expect(requests).toHaveLength(summary.requests)
  expect(path(requests.find(({ name }) => name === "request historical_apy_chart"))).toEqual([
    "run",
    "pipeline apy_history",
    "task apy_history",
    "request historical_apy_chart",
  ])
  const limited = requests.find((each) => each.attributes["http.response.status_code"] === 429)
  expect(limited?.status.code).toBe(2)
  const commits = named(spans, "commit")
  expect(path(commits.find(({ attributes }) => attributes["pipeline"] === "vaults"))).toEqual([
    "run",
    "pipeline vaults",
    "task vaults",
    "commit",
  ])
  const inserted = commits.map(({ attributes }) => Number(attributes["rows_inserted"]))
  expect(inserted.reduce((sum, rows) => sum + rows, 0)).toBe(summary.rows_inserted)
  expect(named(spans, "publish")).toHaveLength(1)

  const sum = (start: string, part = "") =>
    [...metrics]
      .filter(([series]) => series.startsWith(`${start}{`) && series.includes(part))
      .reduce((total, [, value]) => total + value, 0)
  expect(sum("vaulthouse_requests_total")).toBe(summary.requests)
  expect(sum("vaulthouse_requests_total", 'status="429"')).toBe(1)
  expect(sum("vaulthouse_rows_total", 'change="inserted"')).toBe(summary.rows_inserted)
  expect(sum("vaulthouse_runs_total", 'outcome="complete"')).toBe(1)
  expect(
    sum("vaulthouse_newest_fact_timestamp_seconds", 'series="apy_smoothed_7d"'),
  ).toBeGreaterThan(0)
})

const named = (spans: ReadonlyArray<Span>, name: string): ReadonlyArray<Span> =>
  spans.filter((span) => span.name === name)

/** A service that rejects and repeats the key, and the headers it was sent. */
const rejecting = async () => {
  const headers: Array<string> = []
  const server = createServer((request, response) => {
    headers.push(...Object.keys(request.headers))
    const body = { detail: `unknown key ${String(request.headers["x-api-key"])}` }
    response.writeHead(401, { "content-type": "application/json" }).end(JSON.stringify(body))
  })
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening))
  const { port } = server.address() as AddressInfo
  return { url: `http://127.0.0.1:${port}`, headers, server }
}

it("the service gets no trace header, and a key it rejects and repeats is in no span", async () => {
  const { collector, url, close } = await startCollector()
  const service = await rejecting()
  const args = ["sync", "vaults", "--base-url", service.url, "--data-dir", "rejected"]
  const { stdout, stderr } = await vaulthouse([...args, "--log-level", "debug"], {
    cwd,
    env: variables(url),
  })
  service.server.close()
  await close()
  expect(service.headers).toContain("x-api-key")
  expect(service.headers).not.toContain("traceparent")
  expectNoSecret(collector, stdout + stderr)
  const attempt = {
    pipeline: "vaults",
    entity: "-",
    endpoint: "tokenized_vaults",
    attempt: 1,
    status: 401,
    error: expect.stringContaining("<redacted>") as string,
  }
  const line = stderr.split("\n").find((text) => text.includes('"endpoint":"tokenized_vaults"'))
  const logged = JSON.parse(line ?? "") as { readonly run_id: string }
  expect(logged).toMatchObject({
    ...attempt,
    level: "DEBUG",
    message: expect.stringMatching(/^GET \//) as string,
  })
  const exported = collector.logs.find(({ level }) => level === "Debug")
  expect(exported?.attributes).toMatchObject({ ...attempt, run_id: logged.run_id })
  expect(exported?.traceId).toBe(collector.spans[0]?.traceId)
  // Every line, the last one too.
  expect(collector.logs.length).toBe(stderr.trim().split("\n").length)
  expect(collector.logs.filter(({ level }) => level === "Error")).not.toEqual([])
  const failed = collector.spans.find(({ name }) => name.startsWith("request "))
  expect(failed?.status).toEqual({
    code: 2,
    message: expect.stringContaining("<redacted>") as string,
  })
})

it("the credentials of a proxy that can't be reached are in no span", async () => {
  const { collector, url, close } = await startCollector()
  const password = "proxy-password-161803"
  const { stdout, stderr } = await vaulthouse(
    [..."sync vaults --data-dir proxied --base-url".split(" "), "http://vaults.invalid"],
    { cwd, env: { ...variables(url), HTTP_PROXY: `http://me:${password}@127.0.0.1:1` } },
  )
  await close()
  expect(collector.spans.some(({ status }) => status.message?.includes("127.0.0.1:1"))).toBe(true)
  expect(collector.bodies.join("\n") + stdout + stderr).not.toContain(password)
})

it("the error that ends a run is exported once, as an error", async () => {
  const { collector, url, close } = await startCollector()
  const dataDir = join(cwd, "locked")
  mkdirSync(dataDir)
  const lock = await acquireLock(dataDir, new Date().toISOString())
  const args = ["sync", "vaults", "--base-url", "http://127.0.0.1:1", "--data-dir", dataDir]
  const { code, stderr } = await vaulthouse(args, { cwd, env: variables(url) })
  lock.release()
  await close()
  expect(code).toBe(exitCodes.locked)
  expect(stderr).toMatch(/^vaulthouse: the warehouse is in use by /)
  const errors = collector.logs.filter(({ level }) => level === "Error")
  expect(errors.map(({ text }) => text)).toEqual([stderr.trim()])
})

it("a warning at the end of a run is exported as a warning", async () => {
  const { collector, url, close } = await startCollector()
  const late = createServer((_request, response) => {
    response.setHeader("date", new Date(Date.now() - 20 * 60_000).toUTCString())
    response.setHeader("content-type", "application/json")
    response.end(JSON.stringify([{ id: "a" }]))
  })
  await new Promise<void>((listening) => late.listen(0, "127.0.0.1", listening))
  const { port } = late.address() as AddressInfo
  const args = ["sync", "loans", "--base-url", `http://127.0.0.1:${port}`, "--data-dir", "late"]
  const { code } = await vaulthouse(args, { cwd, env: variables(url) })
  late.close()
  await close()
  expect(code).toBe(0)
  const grave = collector.logs.filter(({ level }) => level !== "Info" && level !== "Debug")
  expect(grave).toEqual([
    expect.objectContaining({
      level: "Warn",
      text: expect.stringMatching(/^vaulthouse: This machine's clock was /) as string,
    }),
  ])
})

it("exports in protobuf by default", async () => {
  const { collector, url, close } = await startCollector()
  const service = await rejecting()
  const args = ["sync", "vaults", "--base-url", service.url, "--data-dir", "binary"]
  await vaulthouse(args, { cwd, env: { OTEL_EXPORTER_OTLP_ENDPOINT: url } })
  service.server.close()
  await close()
  const types = new Set(collector.headers.map((headers) => headers["content-type"]))
  expect([...types]).toEqual(["application/x-protobuf"])
  expect(collector.bodies.join()).toContain("request tokenized_vaults")
})

it("a collector that fails costs no run, and is said once", async () => {
  const { url, close } = await startCollector(501)
  const service = await rejecting()
  const around = { cwd, env: variables(`${url}/?key=${token}`) }
  const args = ["sync", "vaults", "--base-url", service.url, "--data-dir", "unwatched"]
  const watched = await vaulthouse([...args, "--log-level", "debug"], around)
  const { code } = await vaulthouse(args, { cwd, env: { VAULTHOUSE_API_KEY: key } })
  service.server.close()
  await close()
  expect(watched.code).toBe(code)
  const said = watched.stderr.split("\n").filter((line) => line.includes("OpenTelemetry"))
  expect(said).toEqual([
    expect.stringMatching(/^warning: OpenTelemetry: http:\S+\/v1\/\w+ responds with HTTP 501; /),
  ])
  expect(watched.stderr).toContain("Disabling exporter")
  expect(watched.stderr).not.toContain(token)
})

it("a collector that never responds ends no run and holds up none, and is said once", async () => {
  const silent = createServer((request) => void request.resume())
  await new Promise<void>((listening) => silent.listen(0, "127.0.0.1", listening))
  const { port } = silent.address() as AddressInfo
  const service = await rejecting()
  const args = ["sync", "vaults", "--base-url", service.url, "--data-dir", "unheard"]
  const watched = await vaulthouse(args, { cwd, env: variables(`http://127.0.0.1:${port}`) })
  const { code } = await vaulthouse(args, { cwd, env: { VAULTHOUSE_API_KEY: key } })
  service.server.close()
  silent.closeAllConnections()
  silent.close()
  expect(watched.code).toBe(code)
  const said = watched.stderr.split("\n").filter((line) => line.includes("OpenTelemetry"))
  expect(said).toEqual([
    "warning: OpenTelemetry: no response within 3 s; the run goes on, but its telemetry is not complete",
  ])
})

it("a collector that redirects sends nothing elsewhere, headers least of all", async () => {
  const elsewhere = await startCollector()
  const { url, close } = await startCollector(307, `${elsewhere.url}/v1/traces`)
  const service = await rejecting()
  const args = ["sync", "vaults", "--base-url", service.url, "--data-dir", "redirected"]
  const { stderr } = await vaulthouse(args, { cwd, env: variables(url) })
  service.server.close()
  await close()
  await elsewhere.close()
  expect(stderr).toMatch(/^warning: OpenTelemetry: http:\S+\/v1\/\w+ responds with HTTP 307; /m)
  expect(elsewhere.collector.headers).toEqual([])
})

it.each([
  ["OTEL_EXPORTER_OTLP_PROTOCOL", "grpc", "`grpc` is not one of http/protobuf, http/json"],
  ["OTEL_EXPORTER_OTLP_ENDPOINT", "collector:4318", "`collector:4318` is not an address such as"],
  ["OTEL_EXPORTER_OTLP_ENDPOINT", `http://me:${token}@host`, "OTEL_EXPORTER_OTLP_HEADERS"],
  ["OTEL_EXPORTER_OTLP_ENDPOINT", `host:4318/?key=${token}`, "the value is not an address such as"],
  ["OTEL_TRACES_EXPORTER", "zipkin", "`zipkin` is not one of otlp, none"],
  ["OTEL_EXPORTER_OTLP_HEADERS", token, "not of the form name=value"],
  ["OTEL_METRIC_EXPORT_INTERVAL", "1 min", "`1 min` is not a number of milliseconds"],
])("a wrong %s=%s is an error that repeats no secret", async (name, value, wanted) => {
  const { code, stderr } = await vaulthouse(["sync", "--base-url", "http://127.0.0.1:1"], {
    cwd,
    env: { OTEL_METRICS_EXPORTER: "otlp", [name]: value },
  })
  expect(code).toBe(2)
  expect(stderr).toContain(`${name}: `)
  expect(stderr).toContain(wanted)
  expect(stderr.trim().split("\n")).toHaveLength(1)
  expect(stderr).not.toContain(token)
})

it.each([
  [{ OTEL_SDK_DISABLED: "true" }],
  [{ OTEL_TRACES_EXPORTER: "none", OTEL_METRICS_EXPORTER: "none", OTEL_LOGS_EXPORTER: "none" }],
])("%j exports nothing", async (off) => {
  const { collector, url, close } = await startCollector()
  const service = await rejecting()
  const args = ["sync", "vaults", "--base-url", service.url, "--data-dir", "off"]
  await vaulthouse(args, { cwd, env: { ...variables(url), ...off } })
  service.server.close()
  await close()
  expect(collector.bodies).toEqual([])
})
