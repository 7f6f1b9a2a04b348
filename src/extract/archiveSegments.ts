// Reads segments of the response archive: a body by its place, or everything a segment holds.
import { open, readFile } from "node:fs/promises"
import { join } from "node:path"
import { promisify } from "node:util"
import { zstdDecompress, zstdDecompressSync } from "node:zlib"
import type { Closing } from "../domain/closing.ts"
import { ArchiveDamaged, type ArchivedLine, readClosing, readLine } from "./archiveLines.ts"
import type { Place } from "./ResponseArchive.ts"

const decompress = promisify(zstdDecompress)

/** What lines say, closings apart. */
export interface Lines {
  readonly lines: ReadonlyArray<ArchivedLine>
  /** Each of responses that stand before it. */
  readonly closings: ReadonlyArray<Closing>
}

const linesOf = (file: string, text: string): Lines => {
  const lines: Array<ArchivedLine> = []
  const closings: Array<Closing> = []
  for (const line of text.split("\n")) {
    if (line === "") continue
    const closing = readClosing(file, line)
    if (closing === undefined) lines.push(readLine(file, line))
    else closings.push(closing)
  }
  return { lines, closings }
}

/** The responses of one frame. Throws `ArchiveDamaged`, or the file system's error. */
export const readFrame = async (
  directory: string,
  { file, offset, length }: Place,
): Promise<ReadonlyArray<ArchivedLine>> => {
  const handle = await open(join(directory, file), "r")
  try {
    const bytes = Buffer.alloc(length)
    const { bytesRead } = await handle.read(bytes, 0, length, offset)
    if (bytesRead < length) throw new ArchiveDamaged(file, `it ends before byte ${offset + length}`)
    const text = await decompress(bytes).catch((cause: unknown) => {
      throw new ArchiveDamaged(file, `the frame at byte ${offset} can't be read (${String(cause)})`)
    })
    return linesOf(file, text.toString("utf8")).lines
  } finally {
    await handle.close()
  }
}

const FRAMES_KEPT = 32

/** Reads bodies, a frame at a time: neighbours in a frame are mostly asked for one after the other. */
export class ArchiveReader {
  readonly #directory: string
  readonly #frames = new Map<string, ReadonlyArray<ArchivedLine>>()

  constructor(directory: string) {
    this.#directory = directory
  }

  /** The body with this SHA-256 in the frame. Throws `ArchiveDamaged`, or the file system's error. */
  async body(place: Place, sha256: string): Promise<string> {
    const lines = await this.#frame(place)
    const found = lines.find((line) => line.sha256 === sha256 && line.body !== undefined)
    if (found?.body === undefined) {
      throw new ArchiveDamaged(place.file, `the frame at byte ${place.offset} lacks body ${sha256}`)
    }
    return found.body
  }

  async #frame(place: Place): Promise<ReadonlyArray<ArchivedLine>> {
    const name = `${place.file} ${place.offset}`
    const known = this.#frames.get(name)
    if (known !== undefined) return known
    const lines = await readFrame(this.#directory, place)
    this.#frames.set(name, lines)
    if (this.#frames.size > FRAMES_KEPT) {
      const [oldest] = this.#frames.keys()
      if (oldest !== undefined) this.#frames.delete(oldest)
    }
    return lines
  }
}

/** A frame of a segment with its lines. */
export interface Frame extends Lines {
  readonly place: Place
}

/** The frame at the beginning of `bytes`, and how long it is. Throws zlib's error. */
export const decompressFrame = (
  bytes: Buffer,
): { readonly text: string; readonly length: number } => {
  // TypeScript's library does not know what `info` answers.
  const read = zstdDecompressSync(bytes, { info: true }) as unknown as {
    readonly buffer: Buffer
    readonly engine: { readonly bytesWritten: number }
  }
  return { text: read.buffer.toString("utf8"), length: read.engine.bytesWritten }
}

/**
 * Everything a segment holds. A frame cut short at its end, which a kill leaves, is left out: its responses
 * were never acknowledged. Throws `ArchiveDamaged`.
 */
export async function* readSegment(directory: string, file: string): AsyncGenerator<Frame> {
  const bytes = await readFile(join(directory, file))
  let offset = 0
  while (offset < bytes.length) {
    const rest = bytes.subarray(offset)
    let read: ReturnType<typeof decompressFrame>
    try {
      read = decompressFrame(rest)
    } catch (cause) {
      if ((cause as NodeJS.ErrnoException).code === "Z_BUF_ERROR") return
      throw new ArchiveDamaged(file, `the frame at byte ${offset} can't be read (${String(cause)})`)
    }
    const { text, length } = read
    yield { place: { file, offset, length }, ...linesOf(file, text) }
    offset += length
  }
}
