// How a run ended, given what became of its tasks.
import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type { RecordedOutcome } from "../../../../src/domain/run/outcome.ts"
import { pipelines } from "../../../../src/pipelines/pipelines.ts"
import { KeyUse } from "../../../../src/pipelines/run/KeyUse.ts"
import { summaryOf } from "../../../../src/pipelines/run/summary.ts"
import { Tally } from "../../../../src/pipelines/run/Tally.ts"
import { vaults } from "../../../../src/transform/tables/vaults/vaults.ts"
import { batchOf, commit, inWarehouse, rowsOf } from "../../../load/sample.ts"
import { temporaryFolder } from "../../../support/temporaryFolder.ts"

const options = { runId: "run-1", vaults: { include: [], exclude: [] } }

const outcomeAfter = (tasks: ReadonlyArray<RecordedOutcome>, inserted: number) => {
  const tally = new Tally("fees", "Fees", 0)
  for (const outcome of tasks) {
    tally.add(outcome, 1, [], { inserted, revised: 0, unchanged: 0, requests: 1 })
  }
  const found = { key: new KeyUse(true), tallies: new Map([["fees", tally]]) }
  return Effect.map(summaryOf(options, found), ({ outcome }) => outcome)
}

it.effect("a run with a failed task is partial if it has read anything, be it no rows", () =>
  Effect.gen(function* () {
    const dataDir = yield* temporaryFolder
    const found = yield* inWarehouse(
      dataDir,
      Effect.all({
        nothing: outcomeAfter(["failed"], 0),
        rowsOfTheFailed: outcomeAfter(["quarantined"], 1),
        emptyResponses: outcomeAfter(["failed", "empty"], 0),
        noFailure: outcomeAfter(["loaded", "empty"], 1),
        putOff: outcomeAfter(["loaded", "deferred"], 1),
      }),
      { tables: [] },
    )
    expect(found).toEqual({
      nothing: "failed",
      rowsOfTheFailed: "partial",
      emptyResponses: "partial",
      noFailure: "complete",
      putOff: "deferred",
    })
  }),
)

it.effect("a run of several pipelines is what they are together", () =>
  Effect.gen(function* () {
    const dataDir = yield* temporaryFolder
    const tallyOf = (name: string, outcome: RecordedOutcome, inserted: number, revised: number) => {
      const tally = new Tally(name, name, 0)
      tally.add(outcome, 1, [], { inserted, revised, unchanged: 0, requests: 2 })
      return tally
    }
    const together = (...tallies: ReadonlyArray<Tally>) =>
      summaryOf(options, {
        key: new KeyUse(false),
        tallies: new Map(tallies.map((tally) => [tally.name, tally])),
      })
    const found = yield* inWarehouse(
      dataDir,
      Effect.all({
        mixed: together(
          tallyOf("fees", "failed", 0, 0),
          tallyOf("roles", "failed", 3, 1),
          tallyOf("loans", "failed", 1, 2),
        ),
        nothing: together(tallyOf("fees", "unchanged", 0, 0), tallyOf("roles", "failed", 0, 0)),
        revised: together(tallyOf("fees", "deferred", 0, 1), tallyOf("roles", "empty", 0, 0)),
      }),
      { tables: [] },
    )
    expect(found.mixed).toMatchObject({
      outcome: "partial",
      requests: 6,
      rowsInserted: 4,
      rowsRevised: 3,
      nothingNew: false,
      published: false,
      unknownVaults: [],
      isKeyUnknown: false,
      keyRejected: false,
    })
    expect(found.mixed.pipelines.map(({ name }) => name)).toEqual(["fees", "roles", "loans"])
    expect("keyAccess" in found.mixed).toBe(false)
    expect(found.nothing).toMatchObject({ outcome: "partial", nothingNew: true })
    expect(found.revised).toMatchObject({ outcome: "deferred", nothingNew: false })
  }),
)

it.effect("a selected vault that no list has is named, however it is spelled", () =>
  Effect.gen(function* () {
    const dataDir = yield* temporaryFolder
    const [listed, other] = ["a", "b"].map((digit) => `0x${digit.repeat(40)}`) as [string, string]
    const include = [listed.toUpperCase().replace("0X", "0x"), other]
    const record = { vault_address: listed, vault_address_wire: listed, chain_type: "evm" }
    const found = yield* inWarehouse(
      dataDir,
      Effect.gen(function* () {
        yield* commit(batchOf([rowsOf(vaults, [{ chain_id: 1, ...record }])]))
        const nothing = { key: new KeyUse(true), tallies: new Map<string, Tally>() }
        const failed = new Tally("vaults", "Vaults", 0)
        failed.add("failed", 1, [], { inserted: 0, revised: 0, unchanged: 0, requests: 1 })
        const outage = { key: new KeyUse(true), tallies: new Map([["vaults", failed]]) }
        const selected = { runId: "run-1", vaults: { include, exclude: [] } }
        return {
          read: yield* summaryOf(selected, nothing),
          notRead: yield* summaryOf(selected, outage),
        }
      }),
      { tables: [vaults] },
    )
    expect(found.read.unknownVaults).toEqual([other])
    expect(found.notRead.unknownVaults).toEqual([])
  }),
)

it.effect("a key is rejected if it opens nothing, or less than a run before has read", () =>
  Effect.gen(function* () {
    const dataDir = yield* temporaryFolder
    const [loans, audit] = pipelines.filter(({ endpoint }) => endpoint.auth === "admin")
    if (loans === undefined || audit === undefined) throw new Error("too few pipelines for admins")
    const read = { entity: "-", window: "w", requests: 1, seconds: 0 } as const
    const after = (...learned: ReadonlyArray<Parameters<KeyUse["learn"]>>) => {
      const key = new KeyUse(true)
      for (const each of learned) key.learn(...each)
      return Effect.map(
        summaryOf(options, { key, tallies: new Map() }),
        ({ keyRejected, isKeyUnknown, keyAccess, outcome }) => ({
          keyRejected,
          isKeyUnknown,
          keyAccess,
          outcome,
        }),
      )
    }
    const found = yield* inWarehouse(
      dataDir,
      Effect.gen(function* () {
        yield* commit(batchOf([], { task: { ...read, pipeline: loans.name, outcome: "landed" } }))
        yield* commit(batchOf([], { task: { ...read, pipeline: audit.name, outcome: "failed" } }))
        return yield* Effect.all({
          unknown: after([audit, "-", "Unauthorized"]),
          never: after([audit, "-", "Forbidden"]),
          noLonger: after([loans, "-", "Forbidden"]),
          all: after([audit, "-", undefined], [loans, "-", undefined]),
        })
      }),
      { tables: [] },
    )
    const accepted = { keyRejected: false, isKeyUnknown: false, outcome: "complete" }
    const rejected = { keyRejected: true, isKeyUnknown: false, outcome: "failed" }
    expect(found).toEqual({
      unknown: { ...rejected, isKeyUnknown: true, keyAccess: "unknown" },
      never: { ...accepted, keyAccess: "none" },
      noLonger: { ...rejected, keyAccess: "none" },
      all: { ...accepted, keyAccess: "some" },
    })
  }),
)
