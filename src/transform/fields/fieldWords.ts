// Splits field names into words (snake_case, camelCase, `return7dPct`), to find fields that the document does not name.

/** The words and numbers of a name in lower case, in order. */
export const fieldWords = (name: string): ReadonlyArray<string> =>
  (name.match(/[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+/g) ?? []).map((word) => word.toLowerCase())

export const hasWord = (name: string, words: ReadonlySet<string>): boolean =>
  fieldWords(name).some((word) => words.has(word))

const numbers: Readonly<Record<string, number>> = { one: 1, seven: 7, thirty: 30 }
const unitDays: Readonly<Record<string, number>> = {
  h: 1 / 24,
  hour: 1 / 24,
  hours: 1 / 24,
  d: 1,
  day: 1,
  days: 1,
  daily: 1,
  w: 7,
  week: 7,
  weekly: 7,
  m: 30,
  month: 30,
  monthly: 30,
}

/** The number of days in a name such as `return7Day`, `d30` or `week`; a month has 30. */
export const daysNamed = (name: string): number | undefined => {
  const words = fieldWords(name)
  const at = words.findIndex((word) => unitDays[word] !== undefined)
  const unit = unitDays[words[at] ?? ""]
  if (unit === undefined) return undefined
  const count = numberOf(words[at - 1]) ?? numberOf(words[at + 1]) ?? 1
  return count * unit
}

const numberOf = (word: string | undefined): number | undefined =>
  word === undefined ? undefined : /^\d+$/.test(word) ? Number(word) : numbers[word]
