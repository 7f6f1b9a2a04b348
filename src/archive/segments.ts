// Segments of the response archive: their names, and what is read of them.
import type { ArchiveStore } from "./ArchiveStore.ts"
import { decompressFirst, decompressFrame, MAGIC, type Place, reasonOf } from "./frames.ts"
import { type Frame, readFrames } from "./readFrames.ts"
import {
  ArchiveDamaged,
  type CommitMarker,
  intactBody,
  type Lines,
  noLines,
  readLines,
  type ResponseLine,
  sha256Of,
} from "./lines.ts"

export const SEGMENT_SUFFIX = ".ndjson.zst"

/** The name of the segment of a process; `worker` is the name of the process, without dots, if the run has several. */
export const segmentOfRun = (runId: string, worker?: string): string =>
  `${runId}${worker === undefined ? "" : `.${worker}`}${SEGMENT_SUFFIX}`

/** The run that wrote a segment, or the month of a compacted segment. */
export const runOfSegment = (file: string): string => file.split(".")[0] ?? file

const PRUNED = /\.r[0-9a-z]+$/

/** The name of the segment with the rest of `file` after pruning at the time `at`; it sorts to the same place. */
export const prunedSegment = (file: string, at: number): string =>
  `${file.slice(0, -SEGMENT_SUFFIX.length).replace(PRUNED, "")}.r${at.toString(36)}${SEGMENT_SUFFIX}`

/** The names of all segments, ordered by run or month. */
export const segmentFiles = async (store: ArchiveStore): Promise<ReadonlyArray<string>> =>
  (await store.segments()).map(({ file }) => file)

/** The last segment with lines of a run: the run's own last segment, or the compacted one of its month. */
export const segmentHolding = (files: ReadonlyArray<string>, runId: string): string =>
  files.findLast((file) => [runId, monthOf(runId)].includes(runOfSegment(file))) ??
  segmentOfRun(runId)

/** These responses by the segment with their line; one that a process left in two segments is in both. */
export const segmentsOf = async <R extends { readonly responseId: string; readonly runId: string }>(
  store: ArchiveStore,
  responses: ReadonlyArray<R>,
): Promise<ReadonlyMap<string, ReadonlyArray<R>>> => {
  const byId = new Map(responses.map((response) => [response.responseId, response]))
  const names = new Set(responses.flatMap(({ runId }) => [runId, monthOf(runId)]))
  const found = new Map<string, ReadonlyArray<R>>()
  for (const file of await segmentFiles(store)) {
    if (!names.has(runOfSegment(file))) continue
    const inFile = new Set<R>()
    for await (const frame of readFrames(store, file)) {
      for (const { responseId } of frame.responses) {
        const response = byId.get(responseId)
        if (response !== undefined) inFile.add(response)
      }
    }
    if (inFile.size > 0) found.set(file, [...inFile])
  }
  return found
}

/** The month of a run id, which begins with the time of its start (YYYYMMDD…), or of a compacted segment. */
export const monthOf = (name: string): string => name.slice(0, 6)

export const segmentBytes = async (store: ArchiveStore): Promise<number> =>
  (await store.segments()).reduce((sum, { bytes }) => sum + bytes, 0)

// More than the size of a segment's last frame, unless hundreds of the process's commits were refused.
const TAIL_BYTES = 64 * 1024

/**
 * The run's own segments without the run's end in their last frame. A segment whose last frame is longer than
 * TAIL_BYTES is returned too.
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

/** The lines of the frame at the end of `tail`; none if the frame is cut short or longer than `tail`. */
const lastLines = (file: string, tail: Buffer): Lines => {
  for (let at = tail.length; at > 0;) {
    at = tail.lastIndexOf(MAGIC, at - 1)
    if (at === -1) break
    try {
      const { content, length } = decompressFirst(tail.subarray(at))
      return at + length === tail.length ? readLines(file, content) : noLines
    } catch {
      // These bytes only look like the beginning of a frame.
    }
  }
  return noLines
}

/** Where the intact bodies of a segment are, each once; what is damaged is left out. */
export const placesIn = async (
  store: ArchiveStore,
  file: string,
): Promise<ReadonlyArray<{ readonly sha256: string; readonly place: Place }>> => {
  const places = new Map<string, Place>()
  for await (const { place, responses } of readFrames(store, file)) {
    for (const { body, sha256 } of responses) {
      if (body !== undefined && sha256Of(body) === sha256) places.set(sha256, place)
    }
  }
  return [...places].map(([sha256, place]) => ({ sha256, place }))
}

/** Collects the commit markers of frames; the last marker of a response counts. */
export class Commits {
  readonly #markers = new Map<string, CommitMarker>()
  /** Runs with an end, by segment. */
  readonly #ended = new Map<string, Set<string>>()

  add({ place: { file }, markers, ends }: Frame): void {
    for (const marker of markers) {
      for (const id of [...marker.landed, ...marker.notLanded]) {
        // In the order of the markers, in which they are written again.
        this.#markers.delete(id)
        this.#markers.set(id, marker)
      }
    }
    for (const { runId, uncommitted } of ends) {
      this.#ended.set(file, (this.#ended.get(file) ?? new Set()).add(runId))
      for (const id of uncommitted) this.#markers.delete(id)
    }
  }

  markerOf(responseId: string): CommitMarker | undefined {
    return this.#markers.get(responseId)
  }

  /** Whether the segment has the run's end. */
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

/** Reads the responses of one frame. Throws `ArchiveDamaged` or the store's error. */
const readFrame = async (
  store: ArchiveStore,
  { file, offset, length }: Place,
): Promise<ReadonlyArray<ResponseLine>> => {
  const bytes = await store.readPart(file, offset, length)
  if (bytes.length < length)
    throw new ArchiveDamaged(file, `it ends before byte ${offset + length}`)
  const content = await decompressFrame(bytes).catch((cause: unknown) => {
    throw new ArchiveDamaged(file, `the frame at byte ${offset} can't be read (${reasonOf(cause)})`)
  })
  return readLines(file, content).responses
}

const FRAMES_KEPT = 32

/** Reads bodies by their place, and caches recent frames, because the bodies of a frame are mostly read in a row. */
export class ArchiveReader {
  readonly #store: ArchiveStore
  readonly #frames = new Map<string, ReadonlyArray<ResponseLine>>()

  constructor(store: ArchiveStore) {
    this.#store = store
  }

  /** The body with this SHA-256 in the frame. Throws `ArchiveDamaged` or the store's error. */
  async body(place: Place, sha256: string): Promise<Buffer> {
    const lines = await this.#frame(place)
    const found = lines.find((line) => line.sha256 === sha256 && line.body !== undefined)
    const body = found === undefined ? undefined : intactBody(place.file, found)
    if (body === undefined) {
      throw new ArchiveDamaged(
        place.file,
        `the frame at byte ${place.offset} does not contain the body ${sha256}`,
      )
    }
    return body
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
