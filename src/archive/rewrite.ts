// Changes the segments of past runs: writes them into a new segment (retention, compaction), or appends lines.
import type { ArchiveStore, SegmentWriter } from "./ArchiveStore.ts"
import {
  commitMarkerLine,
  intactBody,
  type ResponseLine,
  runEndLine,
  withoutBody,
} from "./lines.ts"
import { FRAME_BYTES, FRAME_LINES, frameOf, type Place } from "./frames.ts"
import { readFrames, readWholeFrames } from "./readFrames.ts"
import { Commits } from "./segments.ts"

// The segment is written once and kept long, so it is compressed more than during a run.
const LEVEL = 9

export interface Moved {
  readonly sha256: string
  readonly place: Place
}

export interface Rewriting {
  readonly store: ArchiveStore
  /** The segments, in the order of their runs. */
  readonly files: ReadonlyArray<string>
  /** The name of the new segment. */
  readonly target: string
  readonly isWanted: (line: ResponseLine) => boolean
}

interface WaitingLine {
  /** The hash of the body in the line, if there is one. */
  readonly sha256: string | undefined
  readonly bytes: Buffer
}

/**
 * Writes the wanted responses, each body once, and their markers to a new segment. Once it returns the new places of
 * the bodies, the segment is complete and in the archive. Throws `ArchiveDamaged` or the store's error; then there is no new
 * segment.
 */
export const rewriteSegments = async (rewriting: Rewriting): Promise<ReadonlyArray<Moved>> => {
  const { store, target } = rewriting
  const segment = store.write(target)
  const frames = new FrameWriter(segment, target)
  try {
    await writeWanted(rewriting, frames)
    await segment.end()
  } catch (cause) {
    await segment.close().catch(() => undefined)
    // A part of it is of no use, and takes space that there may be none of. Before the first frame, there is none to remove.
    await store.remove(target).catch(() => undefined)
    throw cause
  }
  await segment.close()
  return frames.moved
}

const writeWanted = async (
  { store, files, isWanted }: Rewriting,
  frames: FrameWriter,
): Promise<void> => {
  const bodies = new Set<string>()
  const kept = new Set<string>()
  const seen = new Set<string>()
  const commits = new Commits()
  for (const file of files) {
    for await (const frame of readWholeFrames(store, file)) {
      commits.add(frame)
      for (const line of frame.responses) {
        seen.add(line.responseId)
        if (!isWanted(line)) continue
        kept.add(line.responseId)
        const isRepeated = intactBody(file, line) === undefined || bodies.has(line.sha256)
        if (!isRepeated) bodies.add(line.sha256)
        await frames.write(
          isRepeated
            ? { sha256: undefined, bytes: withoutBody(line) }
            : { sha256: line.sha256, bytes: Buffer.concat([line.bytes, Buffer.from("\n")]) },
        )
      }
    }
  }
  for (const marker of commits.all) {
    const ids = [...marker.landed, ...marker.notLanded]
    const isKept = ids.some((id) => kept.has(id))
    if (isKept || isOfOthers(ids, seen))
      await frames.write({ sha256: undefined, bytes: commitMarkerLine(marker) })
  }
  for (const runId of commits.ended) {
    await frames.write({ sha256: undefined, bytes: runEndLine({ runId, uncommitted: [] }) })
  }
  await frames.flush()
}

/**
 * Whether a marker is of responses in other segments, which may need it: version 1.0.0 wrote those of `replay --quarantine`
 * to the last segment of the run.
 */
export const isOfOthers = (ids: ReadonlyArray<string>, seen: ReadonlySet<string>): boolean =>
  !ids.some((id) => seen.has(id))

class FrameWriter {
  readonly moved: Array<Moved> = []
  readonly #segment: SegmentWriter
  readonly #file: string
  #waiting: Array<WaitingLine> = []
  #bytes = 0

  constructor(segment: SegmentWriter, file: string) {
    this.#segment = segment
    this.#file = file
  }

  async write(line: WaitingLine): Promise<void> {
    if (this.#bytes + line.bytes.length > FRAME_BYTES) await this.flush()
    this.#bytes += line.bytes.length
    this.#waiting.push(line)
    if (this.#waiting.length >= FRAME_LINES) await this.flush()
  }

  async flush(): Promise<void> {
    this.#bytes = 0
    if (this.#waiting.length === 0) return
    const lines = this.#waiting.map(({ bytes }) => bytes)
    const frame = await frameOf(lines, LEVEL)
    const offset = await this.#segment.append(frame)
    const place = { file: this.#file, offset, length: frame.length }
    for (const { sha256 } of this.#waiting) {
      if (sha256 !== undefined) this.moved.push({ sha256, place })
    }
    this.#waiting = []
  }
}

/** Appends lines to a segment, replacing a frame that a kill cut short. */
export const appendLines = async (
  store: ArchiveStore,
  file: string,
  lines: ReadonlyArray<Buffer>,
): Promise<void> => {
  let end = 0
  for await (const { place } of readFrames(store, file)) end = place.offset + place.length
  await store.append(file, end, await frameOf(lines, LEVEL))
}
