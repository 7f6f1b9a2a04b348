// Reads segments of the response archive: a body by its place, or every frame in order.
import { promisify } from "node:util"
import { constants, zstdCompress, zstdDecompress, zstdDecompressSync } from "node:zlib"
import type { ArchiveStore } from "./ArchiveStore.ts"
import {
  ArchiveDamaged,
  type CommitMarker,
  intactBody,
  type Lines,
  readLines,
  type ResponseLine,
} from "./lines.ts"

const compress = promisify(zstdCompress)
const decompress = promisify(zstdDecompress)

export const FRAME_LINES = 16

/** Compresses the lines as one frame, at this zstd level. */
export const frameOf = (lines: ReadonlyArray<Buffer>, level: number): Promise<Buffer> =>
  compress(Buffer.concat(lines), {
    params: { [constants.ZSTD_c_compressionLevel]: level, [constants.ZSTD_c_checksumFlag]: 1 },
  })

/** Where a body is: the segment, and the frame in it that holds a line with the body's SHA-256. */
export interface Place {
  readonly file: string
  readonly offset: number
  readonly length: number
}

export const SEGMENT_SUFFIX = ".ndjson.zst"

/** Name of the segment that a process of a run writes; `worker` is its name, without dots, where there are several. */
export const segmentOfRun = (runId: string, worker?: string): string =>
  `${runId}${worker === undefined ? "" : `.${worker}`}${SEGMENT_SUFFIX}`

/** The run that wrote a segment; a compacted one is named by its month. */
export const runOfSegment = (file: string): string => file.split(".")[0] ?? file

const PRUNED = /\.r[0-9a-z]+$/

/** Name of the segment with what pruning at `at` keeps of `file`; it sorts to the same place. */
export const prunedSegment = (file: string, at: number): string =>
  `${file.slice(0, -SEGMENT_SUFFIX.length).replace(PRUNED, "")}.r${at.toString(36)}${SEGMENT_SUFFIX}`

/** Names of all segments, ordered by run or month. */
export const segmentFiles = async (store: ArchiveStore): Promise<ReadonlyArray<string>> =>
  (await store.segments()).map(({ file }) => file)

/** The last segment with lines about a run: the run's own last one, or the compacted one of its month. */
export const segmentHolding = (files: ReadonlyArray<string>, runId: string): string =>
  files.findLast((file) => [runId, monthOf(runId)].includes(runOfSegment(file))) ??
  segmentOfRun(runId)

/** Run ids begin with the time of their start, YYYYMMDD…, compacted segments with the month. */
export const monthOf = (name: string): string => name.slice(0, 6)

export const segmentBytes = async (store: ArchiveStore): Promise<number> =>
  (await store.segments()).reduce((sum, { bytes }) => sum + bytes, 0)

export interface Frame extends Lines {
  readonly place: Place
  /** Why nothing of the frame can be read. */
  readonly unreadable: string | undefined
}

/** What a zstd frame begins with. */
const MAGIC = Buffer.from([0x28, 0xb5, 0x2f, 0xfd])

const nothing: Lines = { responses: [], markers: [], ends: [], damages: [] }

/** The content of the frame at the beginning of `bytes` and the frame's length. Throws zlib's error. */
const decompressFirst = (bytes: Buffer) => {
  // TypeScript's library does not know the option `info`.
  const read = zstdDecompressSync(bytes, { info: true }) as unknown as {
    readonly buffer: Buffer
    readonly engine: { readonly bytesWritten: number }
  }
  return { content: read.buffer, length: read.engine.bytesWritten }
}

/**
 * Every frame of a segment, damaged ones too. After a damaged frame it continues at the next `known` offset of a frame,
 * or at bytes that look like one and can be read. A frame cut short at the very end, as a kill leaves it, is not part
 * of the segment: nothing in it was acknowledged.
 */
export async function* readFrames(
  store: ArchiveStore,
  file: string,
  known: ReadonlySet<number> = new Set(),
): AsyncGenerator<Frame> {
  const bytes = await store.read(file)
  const places = [...known].toSorted((a, b) => a - b)
  let offset = 0
  // Whether a frame must begin here, as opposed to four bytes that look like one.
  let isFrame = true
  while (offset < bytes.length) {
    try {
      const { content, length } = decompressFirst(bytes.subarray(offset))
      yield { place: { file, offset, length }, unreadable: undefined, ...readLines(file, content) }
      offset += length
      isFrame = true
    } catch (cause) {
      const next = nextFrame(bytes, offset, places)
      const isCutShort = (cause as NodeJS.ErrnoException).code === "Z_BUF_ERROR"
      if (isFrame && (next < bytes.length || !isCutShort)) {
        const unreadable = `the frame at byte ${offset} can't be read (${String(cause)})`
        yield { place: { file, offset, length: next - offset }, unreadable, ...nothing }
      }
      offset = next
      isFrame = known.has(next)
    }
  }
}

const nextFrame = (bytes: Buffer, offset: number, places: ReadonlyArray<number>): number => {
  const known = places.find((place) => place > offset) ?? bytes.length
  const found = bytes.indexOf(MAGIC, offset + 1)
  return Math.min(known, found === -1 ? bytes.length : found)
}

// More than the last frame of a segment takes, unless hundreds of its process's commits were refused.
const TAIL_BYTES = 64 * 1024

/**
 * The run's own segments whose last bytes lack the run's end. A segment whose last frame is longer than these bytes, or
 * does not hold the end, is returned too.
 */
export const unendedSegments = async (
  store: ArchiveStore,
  runId: string,
): Promise<ReadonlyArray<string>> => {
  const unended: Array<string> = []
  for (const { file, bytes } of await store.segments(runId)) {
    if (runOfSegment(file) !== runId) continue
    const tail = await tailOf(store, file, bytes)
    if (!lastLines(file, tail).ends.some((end) => end.runId === runId)) unended.push(file)
  }
  return unended
}

const tailOf = async (store: ArchiveStore, file: string, bytes: number): Promise<Buffer> => {
  const parts: Array<Buffer> = []
  for (let at = Math.max(0, bytes - TAIL_BYTES); at < bytes;) {
    const part = await store.readPart(file, at, bytes - at)
    if (part.length === 0) break
    parts.push(part)
    at += part.length
  }
  return Buffer.concat(parts)
}

/** The lines of the frame that ends where `tail` does; none if it is cut short, or longer than `tail`. */
const lastLines = (file: string, tail: Buffer): Lines => {
  for (let at = tail.length; at > 0;) {
    at = tail.lastIndexOf(MAGIC, at - 1)
    if (at === -1) break
    try {
      const { content, length } = decompressFirst(tail.subarray(at))
      return at + length === tail.length ? readLines(file, content) : nothing
    } catch {
      // Four bytes that look like the beginning of a frame.
    }
  }
  return nothing
}

/** Every frame of a segment. Throws `ArchiveDamaged` at the first damage. */
export async function* readWholeFrames(store: ArchiveStore, file: string): AsyncGenerator<Frame> {
  for await (const frame of readFrames(store, file)) {
    const [damage = frame.unreadable] = frame.damages
    if (damage !== undefined) throw new ArchiveDamaged(file, damage)
    yield frame
  }
}

/** What the archive's markers say of responses; the last marker of a response counts. */
export class Commits {
  readonly #markers = new Map<string, CommitMarker>()
  /** Runs with an end, by segment. */
  readonly #ended = new Map<string, Set<string>>()

  add({ place: { file }, markers, ends }: Frame): void {
    for (const marker of markers) {
      for (const id of [...marker.landed, ...marker.notLanded]) this.#markers.set(id, marker)
    }
    for (const { runId, uncommitted } of ends) {
      this.#ended.set(file, (this.#ended.get(file) ?? new Set()).add(runId))
      for (const id of uncommitted) this.#markers.delete(id)
    }
  }

  of(responseId: string): CommitMarker | undefined {
    return this.#markers.get(responseId)
  }

  /** Whether the process of the run that wrote the segment recorded that nothing follows. */
  hasEnd(file: string, runId: string): boolean {
    return this.#ended.get(file)?.has(runId) === true
  }

  get ended(): ReadonlySet<string> {
    return new Set([...this.#ended.values()].flatMap((runs) => [...runs]))
  }

  get all(): ReadonlySet<CommitMarker> {
    return new Set(this.#markers.values())
  }
}

/** The responses of one frame. Throws `ArchiveDamaged`, or the store's error. */
const readFrame = async (
  store: ArchiveStore,
  { file, offset, length }: Place,
): Promise<ReadonlyArray<ResponseLine>> => {
  const bytes = await store.readPart(file, offset, length)
  if (bytes.length < length)
    throw new ArchiveDamaged(file, `it ends before byte ${offset + length}`)
  const content = await decompress(bytes).catch((cause: unknown) => {
    throw new ArchiveDamaged(file, `the frame at byte ${offset} can't be read (${String(cause)})`)
  })
  return readLines(file, content).responses
}

const FRAMES_KEPT = 32

// It drops a byte order mark, which JSON does not allow.
const decoder = new TextDecoder()

/** Reads bodies by their place, and keeps recent frames: bodies of one frame are mostly read in a row. */
export class ArchiveReader {
  readonly #store: ArchiveStore
  readonly #frames = new Map<string, ReadonlyArray<ResponseLine>>()

  constructor(store: ArchiveStore) {
    this.#store = store
  }

  /** The body with this SHA-256 in the frame, as text. Throws `ArchiveDamaged`, or the store's error. */
  async text(place: Place, sha256: string): Promise<string> {
    const lines = await this.#frame(place)
    const found = lines.find((line) => line.sha256 === sha256 && line.body !== undefined)
    const body = found === undefined ? undefined : intactBody(place.file, found)
    if (body === undefined) {
      throw new ArchiveDamaged(place.file, `the frame at byte ${place.offset} lacks body ${sha256}`)
    }
    return decoder.decode(body)
  }

  async #frame(place: Place): Promise<ReadonlyArray<ResponseLine>> {
    const name = `${place.file} ${place.offset}`
    const known = this.#frames.get(name)
    if (known !== undefined) return known
    const lines = await readFrame(this.#store, place)
    this.#frames.set(name, lines)
    if (this.#frames.size > FRAMES_KEPT) {
      const [oldest] = this.#frames.keys()
      if (oldest !== undefined) this.#frames.delete(oldest)
    }
    return lines
  }
}
