// Token amounts served twice, raw and normalized (§2.10): as { raw, normalized }, or in two fields.
import { asDigits, asNumber, isJsonObject, type JsonObject } from "../domain/json.ts"
import { hasWord } from "./fieldWords.ts"

export interface Amount {
  /** In the token's smallest unit, all its digits. */
  readonly raw: string | null
  readonly normalized: number | null
  /** Fields whose whole content is in the other two. */
  readonly consumed: ReadonlyArray<string>
}

const rawWord = new Set(["raw"])
const normalizedWords = new Set(["normalized", "normalised", "formatted", "amount", "value"])
// Figures beside an amount that are none themselves.
const otherWords = new Set(
  [
    "usd count number pct percent percentage share fee fees bps decimals price delay",
    "period days seconds time at date id",
  ].flatMap((line) => line.split(" ")),
)

/** A number, or one written as text. */
const decimal = (value: unknown): number | undefined =>
  asNumber(value) ??
  (typeof value === "string" && /^-?\d+(\.\d+)?$/.test(value) ? Number(value) : undefined)

/** More digits than a double holds can only be a raw amount. */
const isLong = (value: unknown): boolean => {
  const digits = asDigits(value)
  return digits !== undefined && !Number.isSafeInteger(Number(digits))
}

/** The amount in those of the record's fields whose name is `wanted`; the first of each kind. */
export const amountIn = (record: JsonObject, wanted: (name: string) => boolean): Amount => {
  let raw: string | undefined
  let normalized: number | undefined
  const consumed: Array<string> = []
  const take = (name: string, value: unknown): boolean => {
    if (hasWord(name, rawWord) || isLong(value)) {
      const digits = raw === undefined ? asDigits(value) : undefined
      raw ??= digits
      return digits !== undefined
    }
    const number = normalized === undefined ? decimal(value) : undefined
    normalized ??= number
    return number !== undefined
  }
  for (const [name, value] of Object.entries(record)) {
    if (!wanted(name) || hasWord(name, otherWords) || value === null) continue
    if (!isJsonObject(value)) {
      if (take(name, value)) consumed.push(name)
      continue
    }
    const parts = Object.entries(value).map(
      ([part, each]) =>
        (hasWord(part, rawWord) || hasWord(part, normalizedWords)) &&
        !hasWord(part, otherWords) &&
        take(part, each),
    )
    // An object that tells more is kept whole.
    if (parts.every(Boolean)) consumed.push(name)
  }
  return { raw: raw ?? null, normalized: normalized ?? null, consumed }
}
