// Raw token amounts: whole numbers of the token's smallest unit, most of them beyond 2^53.

// In Node since version 21; not yet among the library types this project compiles against.
const { rawJSON } = JSON as unknown as { rawJSON: (text: string) => unknown }

/** The amount in smallest units: a decimal string, or with `asNumber` a bare JSON number. */
export const rawAmount = (amount: number, decimals: number, asNumber: boolean): unknown => {
  // Eight decimals survive a double; the remaining digits are made up.
  const exact = BigInt(Math.round(amount * 1e8))
  const digits =
    decimals >= 8
      ? `${exact * 10n ** BigInt(decimals - 8) + (exact % 9973n)}`
      : `${exact / 10n ** BigInt(8 - decimals)}`
  return asNumber ? rawJSON(digits) : digits
}
