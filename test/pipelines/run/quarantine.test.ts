// What counts as having read everything again: a full run without a first or last day, and no other.
import { expect } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { json, scriptedServer } from "../../support/servers/scriptedServer.ts"
import { temporaryFolder } from "../../support/temporaryFolder.ts"
import { type Overrides, query, runOnce } from "../../support/warehouseRun.ts"
import { fixedDay } from "../../support/movableClock.ts"

const { now: started, live } = fixedDay("2026-06-01T12:00:00Z")

const DAY = 86_400_000
const today = Math.floor(started / DAY)

live("a full run that begins or ends at a day leaves what it did not read open", () =>
  Effect.gen(function* () {
    const entry = (days: number) => ({
      timestamp: new Date((today - days) * DAY).toISOString().slice(0, 19),
      type: "t",
      summary: `day ${days}`,
    })
    const log: Array<object> = Array.from({ length: 30 }, (_, day) => entry(day))
    const { url } = yield* scriptedServer(({ url: path }, response) => {
      const { pathname, searchParams } = new URL(path, "http://service")
      const vaults = [{ address: `0x${"1".repeat(40)}`, chain: 1 }]
      if (!pathname.endsWith("/audit_log")) {
        return json(response, searchParams.get("status") === "active" ? vaults : [])
      }
      const before = searchParams.get("before") ?? "9999"
      const rest = log.filter((each) => String(Reflect.get(each, "timestamp")) < before)
      json(response, { events: rest.slice(0, 6), has_more: rest.length > 6 })
    })
    const dataDir = yield* temporaryFolder
    const sync = (settings: NonNullable<Overrides["settings"]>) =>
      runOnce(url, dataDir, { pipelines: ["audit_log"], settings })
    const open = Effect.map(
      query(dataDir, "select json_path from ops.quarantine where closed_at is null"),
      (found) => found.map((row) => row["json_path"]),
    )
    const whole = log[22] ?? {}
    log[22] = { ...whole, type: 5 }
    yield* sync({ full: true })
    const broken = yield* open
    expect(broken).toHaveLength(1)
    log[22] = whole
    expect((yield* sync({ full: true, since: today - 10 })).summary.outcome).toBe("complete")
    expect(yield* open).toEqual(broken)
    expect((yield* sync({ full: true })).summary.outcome).toBe("complete")
    expect(yield* open).toEqual([])
  }),
)
