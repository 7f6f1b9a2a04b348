import { base58 } from "@scure/base"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { canonicalAddress, parseAddress } from "../../../src/domain/values/address.ts"

const checksummed = "0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045"
const solana = "So11111111111111111111111111111111111111112"
const stellarAccount = "GA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJVSGZ"
const stellarContract = "CAS3J7GYLGXMF6TDJBBYYSE3HQ6BBSMLNUQ34T6TZMYMW2EVH34XOWMA"

const failure = (text: string): string => {
  const parsed = parseAddress(text)
  return Result.isFailure(parsed) ? parsed.failure : `accepted: ${JSON.stringify(parsed.success)}`
}

describe("parseAddress", () => {
  it.each([
    [checksummed, "evm", checksummed.toLowerCase()],
    [checksummed.toLowerCase(), "evm", checksummed.toLowerCase()],
    [`0x${checksummed.slice(2).toUpperCase()}`, "evm", checksummed.toLowerCase()],
    [solana, "solana", solana],
    [stellarAccount, "stellar", stellarAccount],
    [stellarContract, "stellar", stellarContract],
  ])("recognises %s", (text, kind, canonical) => {
    expect(parseAddress(text)).toEqual(Result.succeed({ kind, canonical }))
  })

  it("rejects a mixed-case EVM address whose checksum fails, and says so", () => {
    expect(failure(`${checksummed.slice(0, -1)}6`)).toContain("EIP-55")
  })

  it("rejects a Stellar address with one character changed, and says so", () => {
    expect(failure(stellarAccount.replace("QYNF", "QYNG"))).toContain("Stellar checksum")
  })

  it("rejects base58 that is not 32 bytes", () => {
    expect(failure(base58.encode(new Uint8Array(31).fill(255)))).toContain("is not an address")
    expect(failure(base58.encode(new Uint8Array(33).fill(255)))).toContain("is not an address")
  })

  it.each(["", "0x", "0x123", "vitalik.eth", " ", `${checksummed} `])("rejects %j", (text) => {
    expect(failure(text)).not.toContain("accepted")
  })

  it("rejects a kind that the endpoint does not accept", () => {
    const parsed = parseAddress(solana, ["evm"])
    expect(Result.isFailure(parsed) && parsed.failure).toContain("expected an EVM address")
  })

  const bytes32 = Schema.Uint8Array.check(Schema.isMinLength(32), Schema.isMaxLength(32))
  it.effect.prop("every 32 bytes in base58 are a Solana address", [bytes32], ([bytes]) =>
    Effect.sync(() => {
      const text = base58.encode(bytes)
      expect(parseAddress(text)).toEqual(Result.succeed({ kind: "solana", canonical: text }))
    }),
  )
})

describe("canonicalAddress", () => {
  it("is lenient with addresses of the service", () => {
    expect(canonicalAddress(`${checksummed.slice(0, -1)}6`)?.canonical).toBe(
      `${checksummed.slice(0, -1)}6`.toLowerCase(),
    )
  })

  it("is undefined for a kind without endpoints", () => {
    expect(canonicalAddress(`0x${"ab".repeat(32)}`)).toBeUndefined()
  })
})
