// Which vaults a pipeline reads, how often, and under which names.
import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type { VaultRef } from "../../../src/domain/subject/vault.ts"
import type { Lookup } from "../../../src/pipelines/model/Pipeline.ts"
import {
  evmSubaccounts,
  evmVaults,
  evmVaultsByChain,
  subaccounts,
  vaults,
  vaultsByChain,
} from "../../../src/pipelines/strategies/partitions.ts"

const vault = (
  address: string,
  chainId: number,
  kind: VaultRef["kind"],
  wireAddress = kind === "evm" ? `0x${"a1".repeat(20)}` : solana,
): VaultRef => ({
  address,
  wireAddress,
  chainId,
  kind,
  startedOn: undefined,
})
const solana = "So11111111111111111111111111111111111111112"
const all = [
  vault("0xa", 1, "evm"),
  vault("0xa", 2, "evm"),
  vault("0xb", 1, "evm"),
  vault("sol", 900, "solana"),
]

const reading = (read: ReadonlyArray<VaultRef>, stored: ReadonlyArray<VaultRef>): Lookup =>
  ({
    vaults: Effect.succeed(read),
    storedVaults: Effect.succeed(stored),
  }) as unknown as Lookup

it.effect.each([
  ["vaults", vaults, ["0xa", "0xb", "sol"]],
  ["vaultsByChain", vaultsByChain, ["0xa@1", "0xa@2", "0xb", "sol"]],
  ["evmVaults", evmVaults, ["0xa", "0xb"]],
  ["evmVaultsByChain", evmVaultsByChain, ["0xa@1", "0xa@2", "0xb"]],
] as const)(
  "%s: an address on two chains is read twice only where a request takes the chain",
  ([, find, entities]) =>
    Effect.gen(function* () {
      const found = yield* find(reading(all, all))
      expect(found.map(({ entity }) => entity)).toEqual(entities)
      const takesChain = entities.some((entity) => entity.endsWith("@2"))
      expect(found.map((each) => each.vault)).toEqual(
        found.map(({ subject: { address, chainId } }) => ({
          address,
          ...(takesChain ? { chainId } : {}),
        })),
      )
      expect(found[0]?.subject).toEqual(all[0])
    }),
)

it.effect("a vault whose address no endpoint takes is named, and nothing is sent for it", () =>
  Effect.gen(function* () {
    const sui = `0x${"ab".repeat(32)}`
    const listed = [...all, vault(sui, 784, "other", sui)]
    for (const find of [vaults, vaultsByChain]) {
      const unsupported = (yield* find(reading(listed, listed))).filter(
        (each) => each.unsupported !== undefined,
      )
      expect(unsupported.map(({ entity }) => entity)).toEqual([sui])
      expect(unsupported[0]?.unsupported).toContain(`vault \`${sui}\` in core.vaults`)
    }
    expect((yield* evmVaults(reading(listed, listed))).map(({ entity }) => entity)).not.toContain(
      sui,
    )
  }),
)

it.effect("a vault keeps its name when those of its address on other chains are not read", () =>
  Effect.gen(function* () {
    for (const read of [all.slice(0, 1), all.slice(1, 2)]) {
      const [byChain] = yield* evmVaultsByChain(reading(read, all))
      expect(byChain?.entity).toBe(`0xa@${read[0]?.chainId}`)
      const [byAddress] = yield* evmVaults(reading(read, all))
      expect(byAddress?.entity).toBe("0xa")
    }
  }),
)

const [ofA, ofBoth, ofNone, unlisted] = ["1", "2", "3", "4"].map((digit) => `0x${digit.repeat(40)}`)

/** What earlier runs and this one have found, where the user may have selected the vault 0xa. */
const lookup = (isSelection: boolean): Lookup => {
  const row = (
    address: string | undefined,
    linked: ReadonlyArray<string> | null,
    listed = true,
  ) => ({
    subaccount_address: address ?? "",
    wire_address: address ?? "",
    listed_in: "core.subaccounts",
    vaults: linked === null ? null : JSON.stringify(linked),
    is_listed: listed,
  })
  const rows = [
    row(ofA, ["0xa"]),
    row(ofBoth, ["0xb", "0xa"]),
    row(ofNone, null),
    row(unlisted, ["0xa"], false),
    row(solana, ["0xb"]),
  ]
  return {
    isSelection,
    subaccounts: Effect.succeed(rows),
    vaults: Effect.succeed(all.slice(0, 2)),
  } as unknown as Lookup
}

it.effect("subaccounts are all that are listed, or those of a selected vault, listed or not", () =>
  Effect.gen(function* () {
    const entities = (isSelection: boolean) =>
      Effect.map(subaccounts(lookup(isSelection)), (each) => each.map(({ entity }) => entity))
    expect(yield* entities(false)).toEqual([ofA, ofBoth, ofNone, solana])
    expect(yield* entities(true)).toEqual([ofA, ofBoth, unlisted])
  }),
)

it.effect(
  "subaccounts of other chains are named and not sent where an endpoint takes EVM alone",
  () =>
    Effect.gen(function* () {
      const unsupported = yield* Effect.map(evmSubaccounts(lookup(false)), (each) =>
        each.filter((partition) => partition.unsupported !== undefined),
      )
      expect(unsupported.map(({ entity }) => entity)).toEqual([solana])
    }),
)
