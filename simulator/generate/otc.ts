// OTC positions and margin requirements (§2.7); the document shows none of their fields.
import { addressOf, withLetterCase } from "../values/addresses.ts"
import { bytesOf, keyOf, pick, rounded, unit } from "../values/noise.ts"
import type { Subaccount } from "./subaccounts.ts"
import { directoryOf } from "./subaccounts.ts"
import type { World } from "./world.ts"

/** A version-4 UUID. */
const uuid = (...parts: ReadonlyArray<string | number>): string => {
  const bytes = bytesOf(keyOf("uuid", ...parts), 16)
  bytes[6] = (bytes[6]! & 0x0f) | 0x40
  bytes[8] = (bytes[8]! & 0x3f) | 0x80
  const hex = Buffer.from(bytes).toString("hex")
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5")
}

const counterparties = 3

export const otcPositionsOf = (world: World, owner: Subaccount) =>
  Array.from({ length: pick(owner.key, 40, 3) }, (_, index) => ({
    id: uuid(world.options.seed, "position", owner.index, index),
    subaccountAddress: owner.address,
    counterpartyId: uuid(world.options.seed, "otc", pick(owner.key + 41, index, counterparties)),
    instrument: "ETH-FORWARD",
    notionalUsd: rounded(1e5 * (1 + unit(owner.key + 42, index)), 2),
    markUsd: rounded(5000 * (unit(owner.key + 43, index) - 0.5), 2),
  }))

export const allOtcPositions = (world: World) =>
  [...directoryOf(world).values()].flatMap((owner) => otcPositionsOf(world, owner))

/** One for each counterparty and payer. */
export const marginRequirements = (world: World) => {
  const { seed, addressCase } = world.options
  return Array.from({ length: counterparties * 2 }, (_, index) => ({
    id: uuid(seed, "margin", index),
    otcCounterpartyId: uuid(seed, "otc", index % counterparties),
    payer: withLetterCase(addressOf("evm", seed, "payer", index), addressCase),
    requiredUsd: rounded(20_000 * (1 + unit(keyOf(seed, "margin"), index)), 2),
    postedUsd: rounded(25_000 * (1 + unit(keyOf(seed, "posted"), index)), 2),
  }))
}
