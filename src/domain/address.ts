// Vault and subaccount addresses: EVM, Solana and Stellar (§2, §7 rule 1).
import { StrKey } from "@stellar/stellar-base/lib/strkey.js"
import { base58 } from "@scure/base"
import * as Result from "effect/Result"
import { addr } from "micro-eth-signer"

export type AddressKind = "evm" | "solana" | "stellar"

export interface Address {
  readonly kind: AddressKind
  /** The spelling joins use: EVM in lower case, the others as they are (they are case-sensitive). */
  readonly canonical: string
}

const hex40 = /^0x[0-9a-fA-F]{40}$/
const base58Text = /^[1-9A-HJ-NP-Za-km-z]{32,44}$/

const patterns: Readonly<Record<AddressKind, string>> = {
  evm: "0x[0-9a-fA-F]{40}",
  solana: "[1-9A-HJ-NP-Za-km-z]{32,44}",
  stellar: "[GC][A-Z2-7]{55}",
}

/** The outer form of addresses of these kinds, as a regular expression; checksums are beyond one. */
export const addressPattern = (kinds: ReadonlyArray<AddressKind>): string =>
  `^(${kinds.map((kind) => patterns[kind]).join("|")})$`

const isSolana = (text: string): boolean =>
  base58Text.test(text) && base58.decode(text).length === 32

const isStellar = (text: string): boolean =>
  StrKey.isValidEd25519PublicKey(text) || StrKey.isValidContract(text)

/**
 * Reads an address a user typed. A mixed-case EVM address must pass its EIP-55 checksum, a Solana
 * address must be base58 of 32 bytes, a Stellar address a strkey with a valid checksum.
 * Fails with a sentence that says what is wrong with it.
 */
export const parseAddress = (
  text: string,
  allowed: ReadonlyArray<AddressKind> = ["evm", "solana", "stellar"],
): Result.Result<Address, string> => {
  const found = recognise(text)
  if (Result.isFailure(found)) return found
  return allowed.includes(found.success.kind)
    ? found
    : Result.fail(`is a ${found.success.kind} address; expected ${allowed.join(" or ")}`)
}

const recognise = (text: string): Result.Result<Address, string> => {
  if (text.startsWith("0x") || text.startsWith("0X")) {
    if (!hex40.test(text)) {
      return Result.fail("is not an EVM address: expected 0x and 40 hexadecimal digits")
    }
    return addr.isValid(text)
      ? Result.succeed({ kind: "evm", canonical: text.toLowerCase() })
      : Result.fail("fails its EIP-55 checksum: a letter's case, or a digit, was mistyped")
  }
  if (isStellar(text)) return Result.succeed({ kind: "stellar", canonical: text })
  if (/^[GC][A-Z2-7]{55}$/.test(text)) {
    return Result.fail("fails its Stellar checksum: a character was mistyped")
  }
  if (isSolana(text)) return Result.succeed({ kind: "solana", canonical: text })
  return Result.fail(
    "is no address: expected EVM (0x and 40 hexadecimal digits), Solana (base58 of 32 bytes) or Stellar (G… or C…)",
  )
}

/**
 * The canonical form of an address the service served. Lenient where a user's typing is not: an EVM
 * address with an odd case is still that address. `undefined` for a form this API has no endpoint for.
 */
export const canonicalAddress = (served: string): Address | undefined => {
  if (hex40.test(served)) return { kind: "evm", canonical: served.toLowerCase() }
  const found = recognise(served)
  return Result.isSuccess(found) ? found.success : undefined
}

/**
 * The spelling in which an address the service served may be sent back: its own, since some services compare
 * spellings, unless that would not pass our own rule (a case that is no EIP-55 checksum).
 */
export const sendable = (served: string): string =>
  Result.isSuccess(recognise(served)) ? served : (canonicalAddress(served)?.canonical ?? served)
