// From a field no column takes to a column filled for all history: `fields`, the setting, `replay`.
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { describe, expect } from "vitest"
import { serve } from "../../../src/serve/server.ts"
import { json, scriptedServer } from "../../support/servers/scriptedServer.ts"
import { temporaryFolder } from "../../support/temporaryFolder.ts"
import { vaulthouse } from "../command.ts"

const address = "0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045"

interface Listed {
  readonly fields: ReadonlyArray<Readonly<Record<string, unknown>>>
}

describe("vaulthouse fields", () => {
  it.live("lists a field with an example, gives it to a column, and replay fills all history", () =>
    Effect.gen(function* () {
      let price = 1
      const server = yield* scriptedServer(({ url }, response) => {
        const { pathname, searchParams } = new URL(url, "http://localhost")
        if (pathname !== "/tokenized_vault") return json(response, [])
        json(
          response,
          searchParams.get("status") === "active"
            ? [
                {
                  address,
                  chain: 1,
                  vltNm: "Alpha",
                  reserveTgt: `${price}.5`,
                  feeStructure: { performanceFeePct: 20 },
                  closedAt: "2026-01-01T00:00:00Z",
                  "\u001b[31mred": 1,
                  ["__proto__"]: 1,
                },
              ]
            : [],
        )
      })
      const cwd = yield* temporaryFolder
      const file = join(cwd, "vaulthouse.config.yaml")
      writeFileSync(file, `# The service\nbaseUrl: ${server.url} # ours\n`)
      const run = (...args: ReadonlyArray<string>) =>
        Effect.promise(() => vaulthouse(args, { cwd, columns: 160 }))
      for (price of [1, 2]) expect((yield* run("sync", "vaults")).code).toBe(0)

      const listed = yield* run("fields", "--json")
      const { fields } = JSON.parse(listed.stdout) as Listed
      expect(fields).toContainEqual({
        table: "vaults",
        endpoints: ["tokenized_vaults"],
        path: "reserveTgt",
        type: "varchar",
        share: 1,
        example: '"2.5"',
        suggestion: "vaults.reserve_target",
        choices: [],
      })
      const suggested = fields.filter(({ suggestion }) => suggestion !== undefined)
      expect(suggested.map(({ path }) => path)).toEqual(["reserveTgt"])
      expect(fields.map(({ path }) => path)).toContain("__proto__")
      const shown = yield* run("fields")
      expect(shown.stdout).toContain("vltNm")
      const narrow = yield* Effect.promise(() => vaulthouse(["fields"], { cwd, columns: 80 }))
      expect(narrow.stdout.split("\n").filter((line) => line.length > 80)).toEqual([])
      expect(shown.stdout).not.toContain("\u001b[31mred")

      expect((yield* run("fields", "--write")).stdout).toContain("vaulthouse.config.yaml")
      const written = readFileSync(file, "utf8")
      expect(written).toContain(`# The service\nbaseUrl: ${server.url} # ours\n`)
      expect(written).toContain("vaults.reserve_target: reserveTgt")
      expect(written).not.toMatch(/closedAt|performanceFeePct/)

      expect((yield* run("replay")).code).toBe(0)
      const sql = "select reserve_target, extra from core.vaults order by valid_from"
      const { stdout } = yield* run("query", sql, "--format", "csv")
      expect(
        stdout
          .split("\n")
          .slice(1, 3)
          .map((line) => line.split(",")[0]),
      ).toEqual(["1.5", "2.5"])
      expect(stdout).not.toContain("reserveTgt")
    }),
  )

  it.live(
    "leaves out what a column holds in another spelling or unit, but not what it can't read",
    () =>
      Effect.gen(function* () {
        const listed = { address, risk_metadata: { min_health_factor: 1.3 } }
        const bodies: Record<string, unknown> = {
          "/platform/fees": { mgmt: 150, performance_fee_pct: 10 },
          "/dashboard/loans": [{ id: "1", borrower: address, nextDue: { amt: 5 } }],
          "/curator/vaults": [],
          "/subaccount": [listed],
        }
        const server = yield* scriptedServer(({ url }, response) => {
          const { pathname, searchParams } = new URL(url, "http://localhost")
          const found = Object.entries(bodies).find(([path]) => pathname.startsWith(path))
          if (found !== undefined) return json(response, found[1])
          const isListed =
            pathname === "/tokenized_vault" && searchParams.get("status") === "active"
          json(response, isListed ? [{ address, chain: 1, vault_name: "Alpha" }] : [])
        })
        const cwd = yield* temporaryFolder
        const setting = {
          "fees.management_fee_pct": { field: "mgmt", scale: 0.01 },
          "loans.upcoming_payment_amount": "nextDue.amt",
        }
        writeFileSync(
          join(cwd, "vaulthouse.config.yaml"),
          `baseUrl: ${server.url}\nfields: ${JSON.stringify(setting)}\n`,
        )
        const run = (...args: ReadonlyArray<string>) =>
          Effect.promise(() =>
            vaulthouse(args, { cwd, env: { VAULTHOUSE_API_KEY: "the-key-of-tests" } }),
          )
        const sync = run("sync", "vaults", "fees", "subaccounts", "loans")
        const first = yield* sync
        expect(first.code, first.stdout + first.stderr).toBe(0)
        const kept = yield* run("query", "select extra from core.loans", "--format", "csv")
        expect(kept.stdout).toContain(address)
        expect((yield* run("fields")).stdout).toContain("Every field has a column.")
        const page = yield* serve({
          dataDir: join(cwd, "data"),
          fields: setting,
          memoryLimit: "500MB",
          diskLimit: "1GB",
          port: 0,
          limits: { seconds: 600, rows: 1000 },
          version: "test",
          docs: join(import.meta.dirname, "../../../docs"),
          access: { host: "127.0.0.1", allowedHosts: [], token: undefined },
        })
        const data = yield* Effect.promise(async () => (await fetch(`${page}/data`)).text())
        expect(data).toContain("Every field has a column.")

        bodies["/subaccount"] = [{ ...listed, estimated_apr: "about seven" }]
        expect((yield* sync).code).toBe(0)
        expect(
          (JSON.parse((yield* run("fields", "--json")).stdout) as Listed).fields,
        ).toMatchObject([{ table: "subaccounts", path: "estimated_apr" }])
      }),
  )

  it.live("names the column that an unknown one in the setting was probably meant to be", () =>
    Effect.gen(function* () {
      const cwd = yield* temporaryFolder
      writeFileSync(
        join(cwd, "vaulthouse.config.yaml"),
        "baseUrl: http://localhost:9\nfields:\n  fees.managment_fee_pct: mgmtFee\n",
      )
      const { code, stderr } = yield* Effect.promise(() => vaulthouse(["sync"], { cwd }))
      expect(code).toBe(2)
      expect(stderr).toContain("did you mean `fees.management_fee_pct`?")
    }),
  )
})
