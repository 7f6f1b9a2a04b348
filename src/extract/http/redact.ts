// Removes the API key from text of the service, which may repeat it in an error, even escaped as in JSON or a URL.

const REPLACEMENT = "<redacted>"

/** Two hexadecimal digits, in either case. */
const hexPattern = (code: number): string =>
  code
    .toString(16)
    .padStart(2, "0")
    .replaceAll(/[a-f]/g, (digit) => `[${digit}${digit.toUpperCase()}]`)

/**
 * A pattern for one character of the key: literally, as `\u002B` after any number of backslashes (JSON within JSON), as
 * `%2B` or as `&#43;`.
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
    /["/]/.test(character) ? String.raw`${start}\\*${literal}` : literal,
  ].join("|")})`
}

/** Returns a function that removes the key from a text. */
export const redactor = (key: string | undefined): ((text: string) => string) => {
  if (key === undefined || key === "") return (text) => text
  const characters = Array.from(key.replaceAll(/\\+/g, "\\"))
  const pattern = new RegExp(characters.map(spellings).join(""), "g")
  return (text) => text.replaceAll(pattern, REPLACEMENT)
}
