// Writes what is still wanted of some segments into a new one beside them: retention and compaction.
import { open } from "node:fs/promises"
import { join } from "node:path"
import { promisify } from "node:util"
import { constants, zstdCompress } from "node:zlib"
import { type ArchivedLine, closingLine } from "./archiveLines.ts"
import { readSegment } from "./archiveSegments.ts"
import type { Place } from "./ResponseArchive.ts"

const compress = promisify(zstdCompress)
// Written once and kept long: better than while a run waits.
const compression = { params: { [constants.ZSTD_c_compressionLevel]: 9 } }
const FRAME_LINES = 16

export interface Moved {
  readonly sha256: string
  readonly place: Place
}

export interface Rewriting {
  readonly directory: string
  /** In the order of their runs. */
  readonly files: ReadonlyArray<string>
  /** Name of the new segment. */
  readonly target: string
  readonly isWanted: (line: ArchivedLine) => boolean
}

/**
 * Keeps the lines that are wanted, a body only once, and what became of them; answers where the bodies lie now. The
 * new segment is complete and on the disk when this returns. Throws `ArchiveDamaged`, or the file system's error.
 */
export const rewriteSegments = async ({
  directory,
  files,
  target,
  isWanted,
}: Rewriting): Promise<ReadonlyArray<Moved>> => {
  const handle = await open(join(directory, target), "ax", 0o600)
  const places = new Map<string, Place | undefined>()
  const kept = new Set<string>()
  let waiting: Array<{ readonly sha256: string | undefined; readonly text: string }> = []
  let offset = 0
  const write = async (): Promise<void> => {
    if (waiting.length === 0) return
    const lines = waiting.map(({ text }) => `${text}\n`).join("")
    const frame = await compress(Buffer.from(lines), compression)
    await handle.appendFile(frame)
    const place = { file: target, offset, length: frame.length }
    for (const { sha256 } of waiting) if (sha256 !== undefined) places.set(sha256, place)
    offset += frame.length
    waiting = []
  }
  try {
    for (const file of files) {
      for await (const { lines, closings } of readSegment(directory, file)) {
        for (const line of lines) {
          if (!isWanted(line)) continue
          kept.add(line.responseId)
          const isRepeated = line.body === undefined || places.has(line.sha256)
          if (!isRepeated) places.set(line.sha256, undefined)
          waiting.push({
            sha256: isRepeated ? undefined : line.sha256,
            text: isRepeated ? line.textWithoutBody : line.text,
          })
          if (waiting.length >= FRAME_LINES) await write()
        }
        for (const closing of closings) {
          const responses = [...closing.landed, ...closing.notLanded]
          if (!responses.some((response) => kept.has(response))) continue
          waiting.push({ sha256: undefined, text: closingLine(closing) })
        }
      }
    }
    await write()
    await handle.datasync()
  } finally {
    await handle.close()
  }
  return [...places].flatMap(([sha256, place]) => (place === undefined ? [] : [{ sha256, place }]))
}
