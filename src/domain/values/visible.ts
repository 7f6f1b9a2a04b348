// Makes text from outside safe to show: control characters and bidirectional overrides are replaced by visible escapes.

/** The source of a regular expression for control characters except tab and line feed, and bidirectional overrides. */
export const CONTROL = String.raw`[\0-\x08\x0B-\x1F\x7F-\x9F\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]`

const control = new RegExp(CONTROL, "g")

/** `\x1b`, `\u202e`. */
export const escaped = (character: string): string => {
  const code = character.charCodeAt(0)
  return code < 256
    ? String.raw`\x${code.toString(16).padStart(2, "0")}`
    : String.raw`\u${code.toString(16).padStart(4, "0")}`
}

export const visible = (text: string): string => text.replaceAll(control, escaped)
