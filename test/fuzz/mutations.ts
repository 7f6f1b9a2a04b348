// Changes a JSON text as a broken or changed service might: a value of another type or size, a field that is gone, renamed,
// unknown or there twice, a list in another order, bytes that are lost.
import type { Random } from "../support/randomness.ts"

/** Stands in a value for JSON that no JavaScript value has. */
const raw = (json: string): string => `\u{1F527}${json}\u{1F527}`
const rawText = /"\u{1F527}(.*?)\u{1F527}"/gu

const values: ReadonlyArray<unknown> = [
  null,
  true,
  false,
  0,
  -1,
  1.5,
  1e308,
  -1e-320,
  1_780_000_000,
  1_780_000_000_000,
  raw("1e400"),
  raw("-0"),
  raw("9007199254740993"),
  raw("115792089237316195423570985008687907853269984665640564039457584007913129639936"),
  raw("0.1000000000000000000000000000000001"),
  raw('"\\ud800"'),
  raw(`${"[".repeat(10_000)}${"]".repeat(10_000)}`),
  raw('{"__proto__":{"x":1},"constructor":2}'),
  // Of these no text can be made.
  raw('{"__proto__":null,"toString":0}'),
  { toString: null, valueOf: null },
  "",
  " ",
  "x",
  "NaN",
  "Infinity",
  "1e400",
  "1,234.5",
  "0x1f",
  "12 %",
  "null",
  "\u0000",
  "\u202E",
  "x".repeat(70_000),
  "2026-02-30",
  "2/29/2026",
  "0001-01-01T00:00:00Z",
  "9999-12-31T23:59:59Z",
  "2026-01-01T25:00:00Z",
  "2026-01-01T00:00:00+99:00",
  `0x${"0".repeat(40)}`,
  [],
  {},
  [null],
  [[]],
  { x: { y: [1] } },
]

type Holder = Record<string, unknown> | Array<unknown>

const isHolder = (value: unknown): value is Holder => typeof value === "object" && value !== null

/** Every place in the value, as what holds it and its key. */
const placesIn = (value: Holder): ReadonlyArray<readonly [Holder, string]> =>
  Object.entries(value).flatMap(([key, inner]) => [
    [value, key] as const,
    ...(isHolder(inner) ? placesIn(inner) : []),
  ])

const mutateOnce = (whole: Holder, random: Random): void => {
  const choose = <T>(from: ReadonlyArray<T>): T => from[Math.floor(random() * from.length)] as T
  const places = placesIn(whole)
  if (places.length === 0) return
  const [holder, key] = choose(places)
  const fields = holder as Record<string, unknown>
  const value = fields[key]
  const remove = (): void => {
    if (Array.isArray(holder)) holder.splice(Number(key), 1)
    else delete fields[key]
  }
  const ways: ReadonlyArray<() => void> = [
    () => void (fields[key] = structuredClone(choose(values))),
    () => void (fields[key] = structuredClone(choose(values))),
    remove,
    () => {
      if (Array.isArray(holder)) holder.reverse()
      else {
        remove()
        fields[choose([`${key}_v2`, key.toUpperCase(), `${key} `, "id", "value", "amount"])] = value
      }
    },
    () => {
      if (Array.isArray(holder)) holder.splice(Number(key), 0, structuredClone(value))
      else fields[`new_${key}`] = structuredClone(choose(values))
    },
    // What stands elsewhere in the response.
    () => {
      const [other, at] = choose(places)
      fields[key] = structuredClone((other as Record<string, unknown>)[at])
    },
    () => void (fields[key] = [structuredClone(value)]),
    () => void (fields[key] = { [key]: structuredClone(value) }),
    () => {
      if (typeof value === "number") fields[key] = String(value)
      // Of some objects no number can be made.
      else fields[key] = isHolder(value) ? null : Number(value)
    },
    () => {
      if (typeof value === "number") fields[key] = value * choose([-1, 10, 1000, 1e18, 1e-18])
      else if (typeof value === "string") fields[key] = choose([value.toUpperCase(), ` ${value} `])
      else fields[key] = null
    },
  ]
  choose(ways)()
}

const mutateText = (text: string, random: Random): string => {
  const at = Math.floor(random() * text.length)
  const length = 1 + Math.floor(random() * 8)
  const ways: ReadonlyArray<() => string> = [
    () => text.slice(0, at),
    () => text.slice(0, at) + text.slice(at + length),
    () => text.slice(0, at + length) + text.slice(at),
    () => text.slice(0, at) + String.fromCharCode(Math.floor(random() * 128)) + text.slice(at + 1),
    () => text + text,
    // A field twice, with another value: the first or the last may count, and nothing made of both.
    () => text.replace(/"(\w+)":(-?\d+(\.\d+)?)(?=[,}])/, '"$1":$2,"$1":7'),
    () => `\uFEFF${text}`,
    () => "",
    () => JSON.stringify(text),
  ]
  return ways[Math.floor(random() * ways.length)]?.() ?? text
}

/** The text with one to three changes. */
export const mutated = (text: string, random: Random): string => {
  if (random() < 0.2) return mutateText(text, random)
  const whole = { body: JSON.parse(text) as unknown }
  const times = 1 + Math.floor(random() * 3)
  for (let time = 0; time < times; time += 1) mutateOnce(whole, random)
  return (JSON.stringify(whole.body) ?? "").replaceAll(rawText, (_, json: string) =>
    JSON.parse(`"${json}"`),
  )
}
