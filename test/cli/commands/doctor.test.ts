// doctor with each kind of key, without one, without a service, and with a configuration that can't be read.
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { text } from "node:stream/consumers"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { type Simulator, startSimulator } from "../../../simulator/index.ts"
import { endpoints } from "../../../src/extract/endpoints/index.ts"
import { checkNode } from "../../../src/pipelines/service/doctor.ts"
import { json, scriptedServer } from "../../support/servers/scriptedServer.ts"
import { startProxy } from "../../support/servers/proxy.ts"
import { authorityFile, tlsServer } from "../../support/servers/tlsServer.ts"
import { start, vaulthouse } from "../command.ts"
import * as Effect from "effect/Effect"

let cwd = ""
let simulator: Simulator
beforeEach(async () => {
  cwd = mkdtempSync(join(tmpdir(), "vaulthouse-doctor-"))
  simulator = await startSimulator({ days: 5, vaults: 2, slowReadMs: 0 })
})
afterEach(async () => {
  await simulator.close()
  rmSync(cwd, { recursive: true })
})

interface Findings {
  readonly checks: ReadonlyArray<{ check: string; state: string; detail: string; advice?: string }>
  readonly access: ReadonlyArray<{ endpoint: string; auth: string; access: string; detail: string }>
}

const doctor = async (key?: string, args: ReadonlyArray<string> = [], url = simulator.url) => {
  const env = {
    VAULTHOUSE_BASE_URL: url,
    ...(key === undefined ? {} : { VAULTHOUSE_API_KEY: key }),
  }
  const ended = await vaulthouse(["doctor", "--json", ...args], { cwd, env })
  const findings = JSON.parse(ended.stdout) as Findings
  const stateOf = (name: string) => findings.checks.find(({ check }) => check === name)?.state
  const accessOf = (name: string) =>
    findings.access.find(({ endpoint }) => endpoint === name)?.access
  return { ...ended, ...findings, stateOf, accessOf }
}

describe("doctor", () => {
  it("passes without a key and before the first run, and creates nothing", async () => {
    const { code, stateOf, access } = await doctor()
    expect(code).toBe(0)
    expect(["Node", "configuration", "service", "clock"].map(stateOf)).toEqual(
      Array.from({ length: 4 }, () => "ok"),
    )
    expect(["key", "warehouse"].map(stateOf)).toEqual(["skipped", "skipped"])
    expect(access).toEqual([])
    expect(existsSync(join(cwd, "data"))).toBe(false)
  })

  it.each([
    ["demo-admin-key", "an admin key", "allowed", "allowed"],
    ["demo-curator-key", "a curator's key", "forbidden", "allowed"],
    ["demo-user-key", "a user's key", "forbidden", "forbidden"],
  ])("%s is %s", async (key, name, admin, curator) => {
    const { code, checks, access, accessOf, stdout } = await doctor(key)
    expect(code).toBe(0)
    expect(checks.find(({ check }) => check === "key")).toMatchObject({ state: "ok", detail: name })
    expect(access.map(({ endpoint }) => endpoint).toSorted()).toEqual(
      endpoints
        .filter(({ auth }) => auth !== "public")
        .map((endpoint) => endpoint.name)
        .toSorted(),
    )
    expect(accessOf("loans")).toBe(admin)
    expect(accessOf("vault_subaccounts")).toBe(curator)
    expect(accessOf("my_subaccounts")).toBe("allowed")
    expect(accessOf("health_factor")).toBe("allowed")
    expect(accessOf("cefi_positions")).toBe("not configured")
    expect(stdout).not.toContain(key)
  })

  it("sends one request to each endpoint, to slow ones only with --all, and never changes anything", async () => {
    await doctor("demo-admin-key")
    const paths = Object.entries(simulator.requests().counts)
    expect(paths.filter(([name]) => !name.startsWith("GET "))).toEqual([])
    // The list of vaults once for the service and once to find a vault.
    expect(
      paths.filter(([name, count]) => count > (/tokenized_vault /.test(name) ? 2 : 1)),
    ).toEqual([])
    expect(simulator.requests().last.some(({ url }) => url.includes("debank"))).toBe(false)
    const { accessOf } = await doctor("demo-admin-key", ["--all"])
    expect(accessOf("protocol_positions")).toBe("allowed")
    expect(accessOf("swap")).toBe("not checked")
    expect(simulator.requests().last.some(({ method }) => method !== "GET")).toBe(false)
  })

  it("requests the paths that the document does not show once they are configured", async () => {
    const paths = {
      keyVerification: "/auth/verify",
      cefiPositions: "/subaccount/{address}/cefi_positions",
    }
    writeFileSync(join(cwd, "vaulthouse.config.yaml"), `paths: ${JSON.stringify(paths)}\n`)
    const { accessOf } = await doctor("demo-admin-key")
    expect(accessOf("key_verification")).toBe("allowed")
    expect(accessOf("cefi_positions")).toBe("allowed")
    expect(accessOf("subaccount_loans")).toBe("not configured")
  })

  it.each([
    ["{}", "unclear"],
    ["[]", "unclear"],
    ["null", "unclear"],
    ["false", "unclear"],
    ['[{"error":"upstream is unavailable"}]', "unclear"],
    ['{"name":"desk","expires_at":null}', "allowed"],
    ["true", "allowed"],
  ])("the verification of a key that responds %s is %s", async (body, access) => {
    writeFileSync(join(cwd, "vaulthouse.config.yaml"), "paths: { keyVerification: /auth/verify }\n")
    const answered = Effect.gen(function* () {
      const server = yield* scriptedServer(({ url }, response) => {
        response.writeHead(200, { "content-type": "application/json" })
        response.end(url === "/auth/verify" ? body : "[]")
      })
      return yield* Effect.promise(() => doctor("demo-admin-key", [], server.url))
    }).pipe(Effect.scoped)
    const found = (await Effect.runPromise(answered)).access.find(
      ({ endpoint }) => endpoint === "key_verification",
    )
    expect(found).toMatchObject({
      access,
      detail: access === "allowed" ? "" : "the response does not say that the key is valid",
    })
  })

  it("a key the service does not know fails, with what to do", async () => {
    const { code, checks, accessOf, stdout } = await doctor("sk-unknown-173205")
    expect(code).toBe(4)
    const check = checks.find((each) => each.check === "key")
    expect(check).toMatchObject({
      state: "failed",
      detail: expect.stringContaining("401") as string,
    })
    expect(check?.advice).toContain("VAULTHOUSE_API_KEY")
    expect(accessOf("loans")).toBe("key unknown")
    expect(stdout).not.toContain("sk-unknown-173205")
  })

  it("a login page with status 200 everywhere is neither the service nor a key that works", async () => {
    const page = "<!doctype html><html><body>Please log in</body></html>"
    const proxied = Effect.gen(function* () {
      const server = yield* scriptedServer((_request, response) => {
        response.writeHead(200, { "content-type": "text/html" }).end(page)
      })
      return yield* Effect.promise(() => doctor("demo-admin-key", [], server.url))
    }).pipe(Effect.scoped)
    const { code, checks, access, stateOf } = await Effect.runPromise(proxied)
    expect(code).toBe(4)
    const check = checks.find((each) => each.check === "service")
    expect(check).toMatchObject({ state: "failed" })
    expect(check?.detail).toContain("not as documented")
    expect(check?.advice).toContain("login page")
    expect(stateOf("key")).not.toBe("ok")
    expect(access.map((each) => each.access)).not.toContain("allowed")
  })

  it("without a service the machine and the warehouse are still looked at", async () => {
    const { code, checks, stateOf } = await doctor("demo-admin-key", [], "http://127.0.0.1:9")
    expect(code).toBe(4)
    expect(checks.find(({ check }) => check === "service")).toMatchObject({
      state: "failed",
      detail: expect.stringContaining("ECONNREFUSED") as string,
    })
    expect(["Node", "key", "warehouse"].map(stateOf)).toEqual(["ok", "skipped", "skipped"])
  })

  it("behind a proxy that is not there, the advice is about the proxy", async () => {
    const env = { HTTP_PROXY: "http://127.0.0.1:9", NO_PROXY: "" }
    const { stdout } = await vaulthouse(["doctor", "--base-url", "http://service.example"], {
      cwd,
      env,
    })
    expect(stdout).toContain("the proxy http://127.0.0.1:9 (HTTP_PROXY) can't be reached")
    expect(stdout).toMatch(/^service \(failed\): The request ends at the proxy/m)
    expect(stdout).not.toContain("Check the base address")
  })

  it("a process of its own trusts a private authority and reaches the service through a proxy", async () => {
    const behindProxy = Effect.gen(function* () {
      const url = yield* tlsServer((_request, response) => json(response, []))
      const proxy = yield* startProxy({ credentials: "reader:s3cret" })
      const env = {
        VAULTHOUSE_BASE_URL: url,
        NODE_EXTRA_CA_CERTS: authorityFile,
        HTTPS_PROXY: proxy.url.replace("http://", "http://reader:s3cret@"),
      }
      const child = start(["doctor"], { cwd, env })
      const shown = yield* Effect.promise(() =>
        Promise.all([text(child.stdout), text(child.stderr)]),
      )
      return { url, proxy, shown: shown.join("") }
    }).pipe(Effect.scoped)
    const { url, proxy, shown } = await Effect.runPromise(behindProxy)
    expect(shown).toContain(`${url} through the proxy ${proxy.url} (HTTPS_PROXY) responded in`)
    expect(shown).not.toContain("s3cret")
    expect(proxy.requests).toEqual([`CONNECT ${new URL(url).host}`])
  })

  it("a configuration that can't be read is a finding, with its line", async () => {
    writeFileSync(join(cwd, "vaulthouse.config.yaml"), "baseUrl: http://x.example\nconcurency: 3\n")
    const { code, checks } = await doctor()
    expect(code).toBe(4)
    expect(checks.find(({ check }) => check === "configuration")).toMatchObject({
      state: "failed",
      detail: expect.stringContaining("vaulthouse.config.yaml:2") as string,
    })
  })

  it("a file that is no warehouse does not open; one of a run does", async () => {
    mkdirSync(join(cwd, "broken"))
    writeFileSync(join(cwd, "broken/vaulthouse.duckdb"), "not a database")
    const broken = await doctor(undefined, ["--data-dir", "broken"])
    expect(broken.code).toBe(4)
    expect(broken.checks.find(({ check }) => check === "warehouse")).toMatchObject({
      state: "failed",
      advice: expect.stringMatching(/^Move vaulthouse\.duckdb away/) as string,
    })
    const env = { VAULTHOUSE_BASE_URL: simulator.url }
    const synced = await vaulthouse(["sync", "vaults", "--no-publish"], { cwd, env })
    expect(synced.code).toBe(0)
    const { checks } = await doctor()
    expect(checks.find(({ check }) => check === "warehouse")).toMatchObject({
      state: "ok",
      detail: expect.stringMatching(/newest run in it: .* \(sync vaults\): complete/) as string,
    })
  })

  it("an archive of its own place is looked at, without a key for it too", async () => {
    const config = join(cwd, "archive.yaml")
    const archived = async (archive: string) => {
      writeFileSync(config, `archive: ${archive}\n`)
      const { code, checks } = await doctor(undefined, ["--config", config])
      const of = (name: string) => checks.find(({ check }) => check === name)
      return { code, archive: of("archive"), disk: of("disk of the archive") }
    }
    expect(await archived("s3://bucket/archive")).toMatchObject({
      code: 4,
      archive: { state: "failed", detail: "there is no key for s3://bucket/archive" },
    })
    expect(await archived(join(cwd, "archive"))).toMatchObject({
      code: 0,
      archive: { state: "ok", detail: `${join(cwd, "archive")}; segments: 0` },
      disk: { detail: expect.stringContaining(`free for ${join(cwd, "archive")}`) as string },
    })
  })

  it("warns about a clock that differs from the service's Date header", async () => {
    const late = (hours: number) =>
      Effect.gen(function* () {
        const server = yield* scriptedServer((_request, response) => {
          response.setHeader("date", new Date(Date.now() - hours * 3_600_000).toUTCString())
          json(response, [])
        })
        const { code, checks } = yield* Effect.promise(() => doctor(undefined, [], server.url))
        return { code, check: checks.find(({ check }) => check === "clock") }
      }).pipe(Effect.scoped, Effect.runPromise)
    const { code, check } = await late(1)
    expect(code).toBe(0)
    expect(check).toMatchObject({ state: "warning" })
    expect(check?.detail).toMatch(/ s behind$/)
    expect((await late(-5)).check).toMatchObject({
      state: "failed",
      advice: expect.stringContaining("A run would load nothing"),
    })
  })

  it("an old Node fails", () => {
    expect(checkNode("v20.1.0").state).toBe("failed")
    expect(checkNode("v24.0.0").state).toBe("ok")
  })
})
