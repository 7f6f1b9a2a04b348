// Reads segments of the response archive: a body by its place, or everything a segment holds.
import { createHash } from "node:crypto"
import { open, readFile } from "node:fs/promises"
import { join } from "node:path"
import { promisify } from "node:util"
import { zstdDecompress, zstdDecompressSync } from "node:zlib"
import type { Place } from "./ResponseArchive.ts"

const decompress = promisify(zstdDecompress)

/** The archive does not hold what its index says it does. */
export class ArchiveDamaged extends Error {
  constructor(file: string, detail: string) {
    super(`The response archive ${file} is damaged: ${detail}.`)
    this.name = "ArchiveDamaged"
  }
}

/** A line of a segment; `body` is absent where the archive had it already. */
export interface ArchivedLine {
  readonly responseId: string
  readonly runId: string
  readonly pipeline: string | null
  readonly entity: string | null
  readonly endpoint: string
  readonly method: string
  readonly url: string
  readonly requestBody: string | null
  readonly inputs: string
  readonly subject: string
  readonly status: number
  readonly receivedAt: number
  readonly sha256: string
  readonly body: string | undefined
  /** The line as it stands in the segment. */
  readonly text: string
  /** The same line for an archive that holds the body elsewhere. */
  readonly textWithoutBody: string
}

const hash = (text: string): string => createHash("sha256").update(text).digest("hex")

/** What stands before the body: its hash, or in segments of the first version the time. */
const lastField = /,"(?:sha256":"([0-9a-f]{64})|receivedAt":"[^"]+)",/

/** The body stands in its line as it came, so it is cut out and not parsed: no digit changes. */
export const readLine = (file: string, line: string): ArchivedLine => {
  const found = lastField.exec(line)
  if (found === null) throw new ArchiveDamaged(file, "a line that is none of an archive")
  const start = found.index + found[0].length
  const head = JSON.parse(`${line.slice(0, start - 1)}}`) as Record<string, string | null>
  const rest = line.slice(start)
  const body = rest.startsWith('"body":')
    ? rest.slice('"body":'.length, -1)
    : rest.startsWith('"text":')
      ? (JSON.parse(rest.slice('"text":'.length, -1)) as string)
      : undefined
  const sha256 = found[1] ?? hash(body ?? "")
  if (body !== undefined && hash(body) !== sha256) {
    throw new ArchiveDamaged(file, `the body of response ${head["response_id"]} was changed`)
  }
  return {
    responseId: String(head["response_id"]),
    runId: String(head["run_id"]),
    pipeline: head["pipeline"] ?? null,
    entity: head["entity"] ?? null,
    endpoint: String(head["endpoint"]),
    method: String(head["method"]),
    url: String(head["url"]),
    requestBody: head["request_body"] ?? null,
    inputs: String(head["inputs"]),
    subject: String(head["subject"]),
    status: Number(head["status"]),
    receivedAt: Number(head["received_at"]),
    sha256,
    body,
    text: line,
    textWithoutBody: `${line.slice(0, start)}"is_elsewhere":true}`,
  }
}

const linesOf = (file: string, text: string): ReadonlyArray<ArchivedLine> =>
  text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => readLine(file, line))

/** The lines of one frame. Throws `ArchiveDamaged`, or the file system's error. */
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
    return linesOf(file, text.toString("utf8"))
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
export interface Frame {
  readonly place: Place
  readonly lines: ReadonlyArray<ArchivedLine>
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
    yield { place: { file, offset, length }, lines: linesOf(file, text) }
    offset += length
  }
}
