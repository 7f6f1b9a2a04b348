// Removes the API key from text of the service, which may repeat it in an error, even escaped as in JSON or a URL.

const REPLACEMENT = "<redacted>"

/** Two hexadecimal digits, in either case. */
const hexPattern = (code: number): string =>
  code
    .toString(16)
    .padStart(2, "0")
    .replaceAll(/[a-f]/g, (digit) => `[${digit}${digit.toUpperCase()}]`)

const htmlNames: Readonly<Record<string, string>> = {
  "&": "(?:amp|AMP)",
  "<": "(?:lt|LT)",
  ">": "(?:gt|GT)",
  '"': "(?:quot|QUOT)",
  "'": "apos",
}

/**
 * A pattern for one character of the key: literally, as `\u002B` after any number of backslashes (JSON within JSON), as
 * `%2B`, as `&#43;` or, where HTML has a name for it, as `&amp;`.
 */
const spellings = (character: string, index: number): string => {
  // Only the first of a run of backslashes may begin a match; otherwise a long run would take quadratic time.
  const start = index === 0 ? String.raw`(?<!\\)` : ""
  // Every escaping multiplies backslashes, so a run of any length matches.
  if (character === "\\") {
    return String.raw`${start}(?:\\|u005[cC]|%(?:25)*5[cC]|&#(?:0*92|x0*5[cC]);)+`
  }
  const code = character.charCodeAt(0)
  const hex = hexPattern(code)
  const literal = character.replace(/[\\^$.*+?()[\]{}|/]/, String.raw`\$&`)
  return `(?:${[
    String.raw`${start}\\+u00${hex}`,
    `%(?:25)*${hex}`,
    `&#(?:0*${code}|x0*${hex});`,
    ...(character in htmlNames ? [`&${htmlNames[character]};`] : []),
    /["/]/.test(character) ? String.raw`${start}\\*${literal}` : literal,
  ].join("|")})`
}

/** A text that stands for the key, and a part of it that no escaping changes. */
interface Encoded {
  readonly core: string
  readonly pattern: RegExp
}

// Shorter parts would be found where there is no key.
const MIN_ENCODED = 8

const encodedAs = (text: string): ReadonlyArray<Encoded> => {
  const [core = ""] = (text.match(/[A-Za-z0-9]+/g) ?? []).toSorted((a, b) => b.length - a.length)
  if (text.length < MIN_ENCODED || core === "") return []
  return [{ core, pattern: new RegExp(Array.from(text, spellings).join(""), "g") }]
}

/**
 * The key in hexadecimal digits, and in base64: it may stand after other bytes, so without the characters that also depend
 * on its neighbours.
 */
const encodings = (key: string): ReadonlyArray<Encoded> => {
  const bytes = Buffer.from(key)
  const hex = bytes.toString("hex")
  const base64 = [0, 1, 2].flatMap((before) => {
    const end = before + bytes.length
    const whole = Buffer.concat([Buffer.alloc(before), bytes]).toString("base64url")
    const own = whole.slice(Math.ceil((before * 8) / 6), Math.floor((end * 8) / 6))
    return [own, own.replaceAll("-", "+").replaceAll("_", "/")]
  })
  return [...new Set([hex, hex.toUpperCase(), ...base64])].flatMap(encodedAs)
}

/** Returns a function that removes the key from a text, also where it is encoded in hexadecimal digits or base64. */
export const redactor = (key: string | undefined): ((text: string) => string) => {
  if (key === undefined || key === "") return (text) => text
  const characters = Array.from(key.replaceAll(/\\+/g, "\\"))
  const pattern = new RegExp(characters.map(spellings).join(""), "g")
  const encoded = encodings(key)
  return (text) =>
    encoded.reduce(
      (rest, { core, pattern: each }) =>
        rest.includes(core) ? rest.replaceAll(each, REPLACEMENT) : rest,
      text.replaceAll(pattern, REPLACEMENT),
    )
}
