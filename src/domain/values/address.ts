// Parses vault and subaccount addresses: EVM, Solana and Stellar (§2, §7 rule 1).
import { createRequire } from "node:module"
import { base58 } from "@scure/base"
import type * as Stellar from "@stellar/stellar-base/lib/strkey.js"
import * as Result from "effect/Result"
import type * as Ethereum from "micro-eth-signer"

// Loaded when a checksum first needs them, because loading takes a tenth of the time to start a command.
const require = createRequire(import.meta.url)
const strKey = () => (require("@stellar/stellar-base/lib/strkey.js") as typeof Stellar).StrKey
const ethereum = () => (require("micro-eth-signer") as typeof Ethereum).addr

export type AddressKind = "evm" | "solana" | "stellar"

const kindNames: Readonly<Record<AddressKind, string>> = {
  evm: "EVM",
  solana: "Solana",
  stellar: "Stellar",
}

/** `EVM, Solana or Stellar`. */
export const kindsText = (kinds: ReadonlyArray<AddressKind>): string =>
  kinds
    .map((kind) => kindNames[kind])
    .join(", ")
    .replace(/, (?=[^,]+$)/, " or ")

export interface Address {
  readonly kind: AddressKind
  /** The spelling for joins: EVM in lower case; the others are case-sensitive and unchanged. */
  readonly canonical: string
}

const hex40 = /^0x[0-9a-fA-F]{40}$/
const stellarText = /^[GC][A-Z2-7]{55}$/
const base58Text = /^[1-9A-HJ-NP-Za-km-z]{32,44}$/

const patterns: Readonly<Record<AddressKind, string>> = {
  evm: "0x[0-9a-fA-F]{40}",
  solana: "[1-9A-HJ-NP-Za-km-z]{32,44}",
  stellar: "[GC][A-Z2-7]{55}",
}

/** A regular expression for addresses of these kinds; it can't verify checksums. */
export const addressPattern = (kinds: ReadonlyArray<AddressKind>): string =>
  `^(${kinds.map((kind) => patterns[kind]).join("|")})$`

const isSolana = (text: string): boolean =>
  base58Text.test(text) && base58.decode(text).length === 32

const isStellar = (text: string): boolean =>
  stellarText.test(text) &&
  (strKey().isValidEd25519PublicKey(text) || strKey().isValidContract(text))

/**
 * Parses an address that a user typed. A mixed-case EVM address must pass its EIP-55 checksum, a Solana address must be
 * base58 of 32 bytes, and a Stellar address a strkey with a valid checksum. Fails with what is wrong, as a predicate.
 */
export const parseAddress = (
  text: string,
  allowed: ReadonlyArray<AddressKind> = ["evm", "solana", "stellar"],
): Result.Result<Address, string> => {
  const found = recogniseCached(text)
  if (Result.isFailure(found)) return found
  return allowed.includes(found.success.kind)
    ? found
    : Result.fail(
        `is a ${kindNames[found.success.kind]} address; expected ${allowed[0] === "evm" ? "an" : "a"} ${kindsText(allowed)} address`,
      )
}

const recognise = (text: string): Result.Result<Address, string> => {
  if (text.startsWith("0x") || text.startsWith("0X")) {
    if (!hex40.test(text)) {
      return Result.fail("is not an EVM address: expected 0x and 40 hexadecimal digits")
    }
    return !/[A-F]/.test(text) || ethereum().isValid(text)
      ? Result.succeed({ kind: "evm", canonical: text.toLowerCase() })
      : Result.fail("fails its EIP-55 checksum: a digit or the case of a letter is wrong")
  }
  if (isStellar(text)) return Result.succeed({ kind: "stellar", canonical: text })
  if (stellarText.test(text)) {
    return Result.fail("fails its Stellar checksum: a character is wrong")
  }
  if (isSolana(text)) return Result.succeed({ kind: "solana", canonical: text })
  return Result.fail(
    "is not an address: expected EVM (0x and 40 hexadecimal digits), Solana (base58 of 32 bytes) or Stellar (G… or C…)",
  )
}

/**
 * The canonical form of an address in a response. It is more lenient than `parseAddress`: the case of an EVM address
 * does not matter. Returns `undefined` for a kind of address that no endpoint accepts.
 */
export const canonicalAddress = (wireAddress: string): Address | undefined => {
  if (hex40.test(wireAddress)) return { kind: "evm", canonical: wireAddress.toLowerCase() }
  const found = recognise(wireAddress)
  return Result.isSuccess(found) ? found.success : undefined
}

/** The canonical spelling of an address, for joins; other text is unchanged. */
export const canonicalSpelling = (text: string): string => canonicalAddress(text)?.canonical ?? text

/**
 * The spelling in which an address from a response is sent back. It is unchanged, since some services compare
 * spellings, unless it would fail validation (an EVM address with a wrong checksum).
 */
export const sendable = (wireAddress: string): string =>
  Result.isSuccess(recogniseCached(wireAddress)) ? wireAddress : canonicalSpelling(wireAddress)

/** `recognise` with a cache, because every pipeline sends the same addresses and a checksum takes 0.1 ms. */
const recogniseCached = (text: string): Result.Result<Address, string> => {
  const known = addresses.get(text)
  if (known !== undefined) return known
  const found = recognise(text)
  addresses.set(text, found)
  return found
}

const addresses = new Map<string, Result.Result<Address, string>>()
