// The width of the terminal, and text wrapped to fit it.
import { type StreamName, streams } from "./output.ts"

/** In characters; Infinity for a pipe, which gets whole lines. */
export const terminalWidth = (name: StreamName = "stdout"): number => {
  const { isTTY, columns = 0 } = streams()[name]
  return isTTY === true && columns > 0 ? columns : Infinity
}

/** Lines of at most `width` characters, or of one, broken at spaces where there are any. */
export const wrapped = (text: string, width: number): ReadonlyArray<string> => {
  const room = Math.max(1, width)
  return text.split("\n").flatMap((line) => (line.length <= room ? [line] : brokenLine(line, room)))
}

/** The first `max` lines; the last of them ends in an ellipsis, within `width`, if there are more. */
export const firstLines = (
  lines: ReadonlyArray<string>,
  max: number,
  width: number,
): ReadonlyArray<string> => {
  if (lines.length <= max) return lines
  const [last = ""] = wrapped(lines[max - 1] ?? "", width - 2)
  return [...lines.slice(0, max - 1), width > 2 ? `${last} …` : "…"]
}

const brokenLine = (line: string, width: number): ReadonlyArray<string> => {
  const lines: Array<string> = []
  let rest = line
  while (rest.length > width) {
    const space = rest.lastIndexOf(" ", width)
    const at = space > 0 ? space : insideWord(rest, width)
    lines.push(rest.slice(0, at).trimEnd())
    rest = rest.slice(at).trimStart()
  }
  return rest === "" ? lines : [...lines, rest]
}

/** Where to break a word: after a sign that joins words, if one is in the second half of the line. */
const insideWord = (text: string, width: number): number => {
  const joint = Math.max(...["_", "/", "-", ","].map((sign) => text.lastIndexOf(sign, width - 1)))
  return joint + 1 > width / 2 ? joint + 1 : width
}

/** Wraps text for the terminal; lines after the first are indented. */
export const paragraph = (text: string, indent = 0, width: number = terminalWidth()): string =>
  wrapped(text, Math.max(20, width - indent)).join(`\n${" ".repeat(indent)}`)
