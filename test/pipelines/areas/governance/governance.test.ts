// Governance of vaults, whole: from the simulator, or from a server with another idea of it, to the tables.
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { expectReplays } from "../../../support/replays.ts"
import { json, scriptedServer } from "../../../support/servers/scriptedServer.ts"
import { asAdmin, simulated } from "../../../support/simulated.ts"
import { temporaryFolder } from "../../../support/temporaryFolder.ts"
import { queries, query, runOnce } from "../../../support/warehouseRun.ts"

const now = "2026-06-01T12:00:00Z"
const api = asAdmin
const governance = ["roles", "permissions", "timelocks", "timelock_requests"]

const evmVaults = (
  simulator: Effect.Success<ReturnType<typeof simulated>>,
): ReadonlyArray<{ readonly address: string; readonly chainId: number }> =>
  simulator.truth.vaults
    .filter(({ kind }) => kind === "evm")
    .map(({ address, chainId }) => ({ address: address.toLowerCase(), chainId }))

const returned = (url: string, path: string): Effect.Effect<Record<string, Array<unknown>>> =>
  Effect.promise(async () => {
    const response = await fetch(url + path)
    return (await response.json()) as Record<string, Array<unknown>>
  })

describe("governance", () => {
  it.live("lands what each EVM vault has, and nothing new the second time", () =>
    Effect.gen(function* () {
      const simulator = yield* simulated({ now, days: 60, vaults: 4 })
      const dataDir = yield* temporaryFolder
      const { summary } = yield* runOnce(simulator.url, dataDir, { pipelines: governance, api })
      expect(summary.outcome).toBe("complete")
      for (const { address, chainId } of evmVaults(simulator)) {
        const path = `/platform/governance/${address}`
        const { roles, warnings } = yield* returned(
          simulator.url,
          `${path}/roles?chainId=${chainId}`,
        )
        const { permissions } = yield* returned(
          simulator.url,
          `${path}/permissions?chainId=${chainId}`,
        )
        const all = yield* returned(
          simulator.url,
          `${path}/timelocks?chainId=${chainId}&status=all`,
        )
        const tables = [...governance, "observation_warnings"]
        const counts = yield* queries(
          dataDir,
          tables.map(
            (table) =>
              `select count(*)::integer as n from core.${table}
               where is_current and vault_address = '${address}' and chain_id = ${chainId}`,
          ),
        )
        expect(
          Object.fromEntries(tables.map((table, at) => [table, counts[at]?.[0]?.["n"]])),
        ).toEqual({
          roles: roles?.length,
          permissions: (permissions as ReadonlyArray<{ functions: Array<string> }>).flatMap(
            ({ functions }) => functions,
          ).length,
          timelocks: all["timelocks"]?.length,
          timelock_requests: all["timelocks"]?.length,
          observation_warnings: (warnings?.length ?? 0) + (all["warnings"]?.length ?? 0),
        })
      }
      const again = yield* runOnce(simulator.url, dataDir, { pipelines: governance, api })
      expect(again.summary).toMatchObject({ outcome: "complete", nothingNew: true })
    }),
  )

  it.live("keeps what a timelock was when its status changes", () =>
    Effect.gen(function* () {
      const simulator = yield* simulated({ now, days: 60, vaults: 24 })
      const dataDir = yield* temporaryFolder
      yield* runOnce(simulator.url, dataDir, { pipelines: governance, api })
      simulator.patch({ now: "2026-06-08T12:00:00Z" })
      const { summary } = yield* runOnce(simulator.url, dataDir, { pipelines: governance, api })
      expect(summary.outcome).toBe("complete")
      for (const table of ["timelocks", "timelock_requests"]) {
        const changed = yield* query(
          dataDir,
          `select old.timelock_id from core.${table} old join core.${table} new
             using (chain_id, vault_address, timelock_id)
           where old.status = 'scheduled' and not old.is_current and new.is_current
             and new.status in ('executed', 'cancelled') and old.valid_to = new.valid_from`,
        )
        expect(changed.length, table).toBeGreaterThan(0)
      }
    }),
  )

  it.live(
    "retires roles and warnings that no longer arrive, and keeps those of a sudden empty response",
    () =>
      Effect.gen(function* () {
        const address = "0x00000000000000000000000000000000000000aa"
        const role = (name: string) => ({ role: name, is_safe: false, member: address })
        const answers = [
          { roles: [role("owner"), role("keeper")], warnings: ["custody failed"] },
          { roles: [role("owner")], warnings: [] },
          { roles: [], warnings: [] },
        ]
        let requests = 0
        const server = yield* scriptedServer(({ url }, response) =>
          json(
            response,
            url.includes("/roles")
              ? answers[requests++]
              : url.includes("status=active")
                ? [{ address, chain: 1 }]
                : [],
          ),
        )
        const dataDir = yield* temporaryFolder
        const states: Array<unknown> = []
        for (const _ of answers) {
          const { summary } = yield* runOnce(server.url, dataDir, { pipelines: ["roles"] })
          const current = yield* query(
            dataDir,
            `select role as name from core.roles where is_current union all
           select warning from core.observation_warnings where is_current order by name`,
          )
          states.push([summary.outcome, current.map((row) => row["name"])])
        }
        expect(states).toEqual([
          ["complete", ["custody failed", "keeper", "owner"]],
          ["complete", ["owner"]],
          ["complete", ["owner"]],
        ])
        const tasks = yield* query(
          dataDir,
          "select outcome from ops.tasks where pipeline = 'roles' order by finished_at",
        )
        expect(tasks.map((row) => row["outcome"])).toEqual(["loaded", "loaded", "suspicious_empty"])
      }),
  )

  it.live("keeps the holder of a role whom a response with a warning does not name", () =>
    Effect.gen(function* () {
      const address = "0x00000000000000000000000000000000000000aa"
      const keeper = { role: "keeper", is_safe: false, address }
      const whole = { roles: [{ role: "owner", is_safe: true, address }, keeper], warnings: [] }
      const warnings = ["custody read failed"]
      const answers = [
        whole,
        { roles: [{ role: "owner" }, keeper], warnings },
        whole,
        { roles: [{ role: "owner" }, { role: "keeper", address: null }], warnings },
        whole,
      ]
      let requests = 0
      const server = yield* scriptedServer(({ url }, response) =>
        json(
          response,
          url.includes("/roles")
            ? answers[requests++]
            : url.includes("status=active")
              ? [{ address, chain: 1 }]
              : [],
        ),
      )
      const dataDir = yield* temporaryFolder
      for (const _ of answers) yield* runOnce(server.url, dataDir, { pipelines: ["roles"] })
      expect(requests).toBe(answers.length)
      const held = yield* query(
        dataDir,
        "select role, holder_address, is_current from core.roles where role = 'owner' order by valid_from",
      )
      expect(held).toEqual([{ role: "owner", holder_address: address, is_current: true }])
      yield* expectReplays(dataDir)
    }),
  )

  it.live("stores the roles of a service that names no holders, also beside a warning", () =>
    Effect.gen(function* () {
      const address = "0x00000000000000000000000000000000000000aa"
      const role = (name: string, is_safe: boolean) => ({ role: name, is_safe })
      const warnings = ["custody of one holder failed"]
      const answers = [
        { roles: [role("owner", true), role("curator", false)], warnings },
        { roles: [role("owner", false)], warnings },
        { roles: [role("owner", false)], warnings: [] },
      ]
      let requests = 0
      const server = yield* scriptedServer(({ url }, response) =>
        json(
          response,
          url.includes("/roles")
            ? answers[requests++]
            : url.includes("status=active")
              ? [{ address, chain: 1 }]
              : [],
        ),
      )
      const dataDir = yield* temporaryFolder
      const held: Array<unknown> = []
      for (const _ of answers) {
        yield* runOnce(server.url, dataDir, { pipelines: ["roles"] })
        held.push(
          yield* query(
            dataDir,
            "select role, is_safe from core.roles where is_current order by role desc",
          ),
        )
      }
      expect(held).toEqual([
        [role("owner", true), role("curator", false)],
        // Beside the warning, the curator may only be missing.
        [role("owner", false), role("curator", false)],
        [role("owner", false)],
      ])
      yield* expectReplays(dataDir)
    }),
  )
})
