// Decimal numbers as text, whatever their spelling.

/** A regular expression would search each sequence of zeros again from each of its zeros. */
const withoutLastZeros = (digits: string): string => {
  let end = digits.length
  while (digits[end - 1] === "0") end -= 1
  return digits.slice(0, end)
}

/** The sign, significant digits and power of ten, which are the same for all spellings of a number. */
export const canonicalDecimal = (text: string): string => {
  const [mantissa = "", exponent = "0"] = text.toLowerCase().split("e")
  const sign = mantissa.startsWith("-") ? "-" : ""
  const [whole = "", fraction = ""] = mantissa.replace("-", "").split(".")
  const digits = `${whole}${fraction}`.replace(/^0+/, "")
  const significant = withoutLastZeros(digits)
  const power = Number(exponent) - fraction.length + digits.length - significant.length
  return significant === "" ? "0" : `${sign}${significant}e${power}`
}

/** How many digits of a number are not zeros at its ends. */
export const significantDigits = (text: string): number => {
  const [mantissa = ""] = text.split(/[eE]/)
  return withoutLastZeros(mantissa.replace(/[-.]/g, "").replace(/^0+/, "")).length
}
