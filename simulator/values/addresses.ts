// Addresses of the three kinds of vault (§2): creates them, and recognizes them in requests. The encoders are written
// out because the simulator shares nothing with the client under test.
import { bits, bytesOf, hexOf, keyOf } from "./noise.ts"

export type AddressKind = "evm" | "solana" | "stellar"
export type AddressCase = "lower" | "upper" | "mixed"

const base58Alphabet = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"
const base32Alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"

const base58 = (bytes: Uint8Array): string => {
  let number = BigInt(`0x${Buffer.from(bytes).toString("hex")}`)
  let text = ""
  for (; number > 0n; number /= 58n) text = base58Alphabet[Number(number % 58n)]! + text
  const zeros = bytes.findIndex((byte) => byte !== 0)
  return "1".repeat(zeros === -1 ? bytes.length : zeros) + text
}

const isBase58Of32Bytes = (text: string): boolean => {
  if (!/^[1-9A-HJ-NP-Za-km-z]{32,44}$/.test(text)) return false
  let number = 0n
  for (const character of text) number = number * 58n + BigInt(base58Alphabet.indexOf(character))
  const zeros = /^1*/.exec(text)![0].length
  const length = number === 0n ? 0 : Math.ceil(number.toString(16).length / 2)
  return zeros + length === 32
}

const base32 = (bytes: Uint8Array): string => {
  let text = ""
  let buffered = 0
  let count = 0
  for (const byte of bytes) {
    buffered = (buffered << 8) | byte
    for (count += 8; count >= 5; count -= 5) text += base32Alphabet[(buffered >> (count - 5)) & 31]
    buffered &= 0xff
  }
  return text
}

const unbase32 = (text: string): Uint8Array => {
  const bytes: number[] = []
  let buffered = 0
  let count = 0
  for (const character of text) {
    buffered = ((buffered << 5) | base32Alphabet.indexOf(character)) & 0xfff
    count += 5
    if (count >= 8) bytes.push((buffered >> (count -= 8)) & 0xff)
  }
  return Uint8Array.from(bytes)
}

/** CRC16/XMODEM, which a Stellar strkey carries little-endian after its 33 bytes. */
const crc16 = (bytes: Uint8Array): number => {
  let crc = 0
  for (const byte of bytes) {
    crc ^= byte << 8
    for (let bit = 0; bit < 8; bit += 1) crc = (crc << 1) ^ (crc & 0x8000 ? 0x1021 : 0)
    crc &= 0xffff
  }
  return crc
}

const strkeyVersion = { G: 6 << 3, C: 2 << 3 } as const

const strkey = (letter: "G" | "C", payload: Uint8Array): string => {
  const body = Uint8Array.from([strkeyVersion[letter], ...payload])
  const crc = crc16(body)
  return base32(Uint8Array.from([...body, crc & 0xff, crc >> 8]))
}

const isStrkey = (text: string): boolean => {
  if (!/^[GC][A-Z2-7]{55}$/.test(text)) return false
  const bytes = unbase32(text)
  return bytes[33]! + bytes[34]! * 256 === crc16(bytes.subarray(0, 33))
}

/** An address of the kind, determined by `parts`. Stellar contracts (C…) outnumber accounts (G…). */
export const addressOf = (kind: AddressKind, ...parts: ReadonlyArray<string | number>): string => {
  const key = keyOf("address", kind, ...parts)
  if (kind === "solana") return base58(bytesOf(key, 32))
  if (kind === "stellar") return strkey(bits(key, 99) % 3 === 0 ? "G" : "C", bytesOf(key, 32))
  return hexOf(key, 20)
}

/** An EVM address in the letter case the options ask for; the other kinds are case-sensitive. */
export const withLetterCase = (address: string, letters: AddressCase): string => {
  if (!address.startsWith("0x") || letters === "lower") return address
  const digits = address.slice(2)
  if (letters === "upper") return `0x${digits.toUpperCase()}`
  const key = keyOf("case", address)
  return `0x${digits.replace(/[a-f]/g, (letter, at: number) =>
    bits(key, at) & 1 ? letter.toUpperCase() : letter,
  )}`
}

/** The kind of a well-formed address, or undefined when it is none of the three. */
export const kindOf = (address: string): AddressKind | undefined => {
  if (/^0x[0-9a-fA-F]{40}$/.test(address)) return "evm"
  if (isStrkey(address)) return "stellar"
  return isBase58Of32Bytes(address) ? "solana" : undefined
}

/** A key that is the same for all spellings of an address. */
export const addressKey = (address: string): string =>
  address.startsWith("0x") ? address.toLowerCase() : address
