// Which vaults a pipeline reads, how often, and under which names.
import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type { VaultRef } from "../../../src/domain/subject/vault.ts"
import type { Lookup } from "../../../src/pipelines/model/Pipeline.ts"
import {
  evmVaults,
  evmVaultsByChain,
  vaults,
  vaultsByChain,
} from "../../../src/pipelines/strategies/partitions.ts"

const vault = (address: string, chainId: number, kind: VaultRef["kind"]): VaultRef => ({
  address,
  wireAddress: address.toUpperCase(),
  chainId,
  kind,
  startedOn: undefined,
})
const all = [
  vault("0xa", 1, "evm"),
  vault("0xa", 2, "evm"),
  vault("0xb", 1, "evm"),
  vault("sol", 900, "solana"),
]

it.effect.each([
  ["vaults", vaults, ["0xa", "0xb", "sol"]],
  ["vaultsByChain", vaultsByChain, ["0xa@1", "0xa@2", "0xb", "sol"]],
  ["evmVaults", evmVaults, ["0xa", "0xb"]],
  ["evmVaultsByChain", evmVaultsByChain, ["0xa@1", "0xa@2", "0xb"]],
] as const)(
  "%s: an address on two chains is read twice only where a request takes the chain",
  ([, find, entities]) =>
    Effect.gen(function* () {
      const found = yield* find({ vaults: Effect.succeed(all) } as unknown as Lookup)
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
