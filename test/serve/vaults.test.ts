// The order of vaults, the days that there are figures of, and the vault that an address names.
import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"
import { type PublishedCopy, sqlFile } from "../../src/pipelines/readers/published.ts"
import type { Row } from "../../src/serve/html/columns.ts"
import { findVault, readOverview, vaultName } from "../../src/serve/vaults.ts"

/** A copy in which the page's queries have these rows. */
const overviewOf = (rows: Readonly<Record<string, ReadonlyArray<Row>>>) => {
  const named = new Map(Object.entries(rows).map(([name, of]) => [sqlFile("serve", name), of]))
  const copy = { rows: (sql: string) => Effect.succeed(named.get(sql) ?? []) }
  return readOverview(copy as unknown as PublishedCopy)
}

const vault = (vault_address: string, tvl_usd: number | null, is_ended = false): Row => ({
  chain_id: 1,
  vault_address,
  tvl_usd,
  is_ended,
})
const trouble = (vault_address: string, severity: number, chain_id = 1): Row => ({
  chain_id,
  vault_address,
  severity,
})

it("a vault without a name, or with a blank one, goes by its address", () => {
  const named = (vault_name: string | null) => vaultName({ vault_name, vault_address: "0xa" })
  expect(["Alpha", " ", "", null].map(named)).toEqual(["Alpha", "0xa", "0xa", "0xa"])
})

it.effect("the worst come first, then the largest, and those that have ended last", () =>
  Effect.gen(function* () {
    const overview = [
      vault("fine without value", null),
      vault("fine", 50),
      vault("ended in trouble", 900, true),
      vault("ended", 1000, true),
      vault("data", 70),
      vault("watch", 100),
      vault("trouble", 1),
      vault("large trouble", 5),
    ]
    const troubles = [
      trouble("trouble", 1),
      trouble("trouble", 3),
      trouble("large trouble", 1),
      trouble("ended in trouble", 1),
      trouble("watch", 2),
      trouble("data", 3),
      // Of a vault with the same address on another chain.
      trouble("fine", 1, 10),
    ]
    const { vaults } = yield* overviewOf({ overview, troubles })
    const addressOf = (each: Readonly<Record<string, unknown>>) => each["vault_address"]
    expect(vaults.map((each) => [addressOf(each), each.troubles.length])).toEqual([
      ["large trouble", 1],
      ["trouble", 2],
      ["watch", 1],
      ["data", 1],
      ["fine", 0],
      ["fine without value", 0],
      ["ended in trouble", 1],
      ["ended", 0],
    ])
  }),
)

it.effect("without any history, the days are the present one", () =>
  Effect.gen(function* () {
    yield* TestClock.setTime(Date.parse("2024-02-29T23:59:59Z"))
    const span = [{ first_on: "2024-01-01", last_on: "2024-02-01" }]
    expect((yield* overviewOf({ span })).whole).toEqual({ from: "2024-01-01", to: "2024-02-01" })
    expect((yield* overviewOf({})).whole).toEqual({ from: "2024-02-29", to: "2024-02-29" })
    const nothing = [{ first_on: null, last_on: null }]
    expect((yield* overviewOf({ span: nothing })).whole).toEqual({
      from: "2024-02-29",
      to: "2024-02-29",
    })
  }),
)

it.effect("an address names the vault on its chain, as explorers write it, and no other", () =>
  Effect.gen(function* () {
    const address = "0xd8da6bf26964af9d7eed9e03e53415d37aa96045"
    const overview = yield* overviewOf({ overview: [vault(address, 1)] })
    const found = findVault(overview, "1", "0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045")
    expect((yield* found)["vault_address"]).toBe(address)
    for (const [chain, typed] of [
      ["10", address],
      ["", address],
      ["1", address.slice(0, -1)],
    ] as const) {
      expect((yield* Effect.flip(findVault(overview, chain, typed))).message).toContain(
        `There is no vault ${typed} on chain ${chain}.`,
      )
    }
  }),
)
