// Writes the lines of a segment that are still wanted into a new one beside it.
import { open } from "node:fs/promises"
import { join } from "node:path"
import { promisify } from "node:util"
import { constants, zstdCompress } from "node:zlib"
import { type ArchivedLine, readSegment } from "./archiveSegments.ts"
import type { Place } from "./ResponseArchive.ts"

const compress = promisify(zstdCompress)
// Written once and kept long: better than while a run waits.
const compression = { params: { [constants.ZSTD_c_compressionLevel]: 9 } }
const FRAME_LINES = 16

export interface Moved {
  readonly sha256: string
  readonly place: Place
}

export interface Wanted {
  readonly responseIds: ReadonlySet<string>
  /** Bodies that responses of other runs refer to. */
  readonly bodies: ReadonlySet<string>
}

/**
 * Keeps the lines that are wanted, as they are; answers where their bodies lie now. The new segment is
 * complete and on the disk when this returns. Throws `ArchiveDamaged`, or the file system's error.
 */
export const rewriteSegment = async (
  directory: string,
  file: string,
  { responseIds, bodies }: Wanted,
): Promise<ReadonlyArray<Moved>> => {
  const [stem = file] = file.split(".")
  const target = `${stem}.${Date.now().toString(36)}.ndjson.zst`
  const handle = await open(join(directory, target), "ax", 0o600)
  const moved: Array<Moved> = []
  let offset = 0
  const write = async (lines: ReadonlyArray<ArchivedLine>): Promise<void> => {
    if (lines.length === 0) return
    const frame = await compress(
      Buffer.from(lines.map(({ text }) => `${text}\n`).join("")),
      compression,
    )
    await handle.appendFile(frame)
    const place = { file: target, offset, length: frame.length }
    for (const { sha256, body } of lines) if (body !== undefined) moved.push({ sha256, place })
    offset += frame.length
  }
  try {
    let waiting: Array<ArchivedLine> = []
    for await (const { lines } of readSegment(directory, file)) {
      for (const line of lines) {
        const isBodyWanted = line.body !== undefined && bodies.has(line.sha256)
        if (!isBodyWanted && !responseIds.has(line.responseId)) continue
        waiting.push(line)
        if (waiting.length < FRAME_LINES) continue
        await write(waiting)
        waiting = []
      }
    }
    await write(waiting)
    await handle.datasync()
  } finally {
    await handle.close()
  }
  return moved
}
