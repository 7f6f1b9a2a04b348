// Reads a segment of the response archive past its damage: which frames can be read, and what is wrong with
// each of the others. Everything else stops at the first damaged frame.
import { readFile } from "node:fs/promises"
import { join } from "node:path"
import { type ArchivedLine, readClosing, readLine } from "./archiveLines.ts"
import { decompressFrame } from "./archiveSegments.ts"

/** A frame: its responses that are as they were written, and what is wrong with the others, if anything. */
export interface SurveyedFrame {
  readonly offset: number
  readonly lines: ReadonlyArray<ArchivedLine>
  readonly damage: string | undefined
}

/** What a zstd frame begins with. */
const MAGIC = Buffer.from([0x28, 0xb5, 0x2f, 0xfd])

/**
 * Every frame, sound or damaged. After a damaged one it goes on at the next place where a frame is known to
 * begin, or looks like one and can be read. A frame cut short at the very end, which a kill leaves, is left out.
 */
export async function* surveySegment(
  directory: string,
  file: string,
  known: ReadonlySet<number>,
): AsyncGenerator<SurveyedFrame> {
  const bytes = await readFile(join(directory, file))
  const places = [...known].toSorted((a, b) => a - b)
  let offset = 0
  // Whether a frame must begin here, as opposed to four bytes that look like one.
  let isFrame = true
  while (offset < bytes.length) {
    const read = attempted(bytes.subarray(offset))
    const next = "cause" in read ? nextFrame(bytes, offset, places) : offset + read.length
    if (!("cause" in read)) {
      yield { offset, ...readLines(file, offset, read.text) }
    } else if (isFrame && (next < bytes.length || !read.isCutShort)) {
      yield {
        offset,
        lines: [],
        damage: `the frame at byte ${offset} can't be read (${String(read.cause)})`,
      }
    }
    isFrame = !("cause" in read) || known.has(next)
    offset = next
  }
}

const attempted = (bytes: Buffer) => {
  try {
    return decompressFrame(bytes)
  } catch (cause) {
    return { cause, isCutShort: (cause as NodeJS.ErrnoException).code === "Z_BUF_ERROR" }
  }
}

const nextFrame = (bytes: Buffer, offset: number, places: ReadonlyArray<number>): number => {
  const known = places.find((place) => place > offset) ?? bytes.length
  const found = bytes.indexOf(MAGIC, offset + 1)
  return Math.min(known, found === -1 ? bytes.length : found)
}

const readLines = (file: string, offset: number, text: string) => {
  const lines: Array<ArchivedLine> = []
  const damages: Array<string> = []
  for (const line of text.split("\n")) {
    if (line === "") continue
    try {
      if (readClosing(file, line) === undefined) lines.push(readLine(file, line))
    } catch (cause) {
      damages.push(cause instanceof Error ? cause.message : String(cause))
    }
  }
  const [first] = damages
  const more = damages.length > 1 ? ` and ${damages.length - 1} more of this frame` : ""
  return {
    lines,
    damage: first === undefined ? undefined : `the frame at byte ${offset}: ${first}${more}`,
  }
}
