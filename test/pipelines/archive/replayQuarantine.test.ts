// Loading from quarantine when it fails or is killed: all of it has happened, or nothing has, and it can be repeated.
import { statSync, truncateSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { defaultTimeFields } from "../../../src/domain/wire/timeFields.ts"
import { replayQuarantine } from "../../../src/pipelines/archive/replayQuarantine.ts"
import {
  content,
  loseTheWarehouse,
  replayed,
  replayOptions,
  segments,
} from "../../support/replays.ts"
import { sharedWarehouse } from "../../support/sharedWarehouse.ts"
import { simulated } from "../../support/simulated.ts"
import { change, queries, runOnce } from "../../support/warehouseRun.ts"

const timeFields = ["measured_on", ...defaultTimeFields]

/** A ratio history whose time no setting named in the first run, and which that of the options names. */
const quarantined = sharedWarehouse(
  Effect.fnUntraced(function* (dataDir) {
    const simulator = yield* simulated({
      vaults: 1,
      days: 5,
      now: "2026-06-01T00:00:00Z",
      timeField: "measured_on",
    })
    yield* runOnce(simulator.url, dataDir, { pipelines: ["ratio_history"] })
  }),
)

/** What the warehouse and the archive say of what is in quarantine. */
const said = Effect.fnUntraced(function* (dataDir: string) {
  const found = yield* queries(dataDir, [
    "select response_id, closed_at from ops.quarantine order by all",
    "select state, reason from ops.gaps order by all",
    "select response_id, is_landed from raw.responses order by all",
    "select count(*)::integer as n from core.ratio_history",
  ])
  return [found, segments(dataDir).map((file) => statSync(join(dataDir, "raw", file)).size)]
})

it.live("what fails before its commit changes nothing, and is loaded by the next attempt", () =>
  Effect.gen(function* () {
    const dataDir = yield* quarantined
    const before = yield* said(dataDir)
    // As a full disk would, this refuses the rows.
    yield* change(dataDir, "create unique index once on core.ratio_history (vault_address)")
    const failure = yield* Effect.flip(replayQuarantine(replayOptions(dataDir, timeFields)))
    expect(failure.message).toContain("Replacing the rebuilt tables")
    yield* change(dataDir, "drop index core.once")
    expect(yield* said(dataDir)).toEqual(before)
    const loaded = yield* replayQuarantine(replayOptions(dataDir, timeFields))
    expect(loaded).toMatchObject({ closed: 1, stillBroken: [] })
    expect(loaded.rows).toBeGreaterThan(100)
  }),
)

it.live("what was killed after its commit is marked in the archive by the next attempt", () =>
  Effect.gen(function* () {
    const dataDir = yield* quarantined
    const [file = ""] = segments(dataDir)
    const segment = join(dataDir, "raw", file)
    const unmarked = statSync(segment).size
    const load = replayQuarantine(replayOptions(dataDir, timeFields))
    expect(yield* load).toMatchObject({ closed: 1 })
    const loaded = yield* content(dataDir)
    truncateSync(segment, unmarked)
    expect(yield* load).toMatchObject({ closed: 0, stillBroken: [] })
    loseTheWarehouse(dataDir)
    yield* replayed(dataDir, timeFields)
    expect(yield* content(dataDir)).toEqual(loaded)
  }),
)
