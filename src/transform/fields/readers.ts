// Readers of addresses, chains, ids and other fields that are more specific than their JSON type. If a reading is not
// whole, the field stays in `extra` too.
import { canonicalSpelling } from "../../domain/values/address.ts"
import type { Reader, Reading } from "../../domain/table/column.ts"
import { asDigits, isJsonObject } from "../../domain/values/json.ts"
import { digitsOf } from "./numbers.ts"

const whole = (value: string | number | boolean): Reading => ({ value, isWhole: true })

/** An address as sent: text, or the field `address` of a record. */
export const wireAddress: Reader = (value) => {
  const isRecord = isJsonObject(value)
  const text = isRecord ? value["address"] : value
  return typeof text === "string" && text !== "" ? { value: text, isWhole: !isRecord } : undefined
}

/** An address in its canonical spelling; if it was sent in another one, the field stays in `extra`. */
export const address: Reader = (value, name) => {
  const wire = wireAddress(value, name)
  if (wire === undefined) return undefined
  const canonical = canonicalSpelling(wire.value as string)
  return { value: canonical, isWhole: wire.isWhole && canonical === wire.value }
}

/** A chain id as an integer, as digits, or in the record of a chain. */
const chainIdOf = (value: unknown): number | undefined => {
  if (isJsonObject(value)) return chainIdOf(value["chain_id"] ?? value["chainId"] ?? value["id"])
  if (typeof value === "string" && /^\d{1,15}$/.test(value)) return Number(value)
  return Number.isSafeInteger(value) ? (value as number) : undefined
}

export const chain: Reader = (value) => {
  const id = chainIdOf(value)
  return id === undefined ? undefined : { value: id, isWhole: !isJsonObject(value) }
}

/** Text that is not empty. */
export const nonEmpty: Reader = (value) =>
  typeof value === "string" && value !== "" ? whole(value) : undefined

/** An id as text, whether it is text or an integer of any size. */
export const id: Reader = (value, name) => {
  const digits = asDigits(value)
  return digits === undefined ? nonEmpty(value, name) : whole(digits)
}

/** A number as text that keeps every digit. */
export const digits: Reader = (value) => {
  const text = digitsOf(value)
  return text === undefined ? undefined : whole(text)
}

/** Converts hexadecimal hashes to lower case; others (Solana's are base58) are unchanged. */
export const canonicalHash = (hash: string): string =>
  /^0x[0-9a-f]+$/i.test(hash) ? hash.toLowerCase() : hash

export const hash: Reader = (value) => {
  if (typeof value !== "string" || value === "") return undefined
  const canonical = canonicalHash(value)
  return { value: canonical, isWhole: canonical === value }
}
