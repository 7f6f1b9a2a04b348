// Reads the frames of a segment one after the other, a part of the segment at a time.
import type { ArchiveStore } from "./ArchiveStore.ts"
import {
  decompressFirst,
  isCutShort,
  LARGEST_FRAME,
  MAGIC,
  type Place,
  reasonOf,
} from "./frames.ts"
import { ArchiveDamaged, type Lines, noLines, readLines } from "./lines.ts"

export interface Frame extends Lines {
  readonly place: Place
  /** Why the frame can't be read, if it can't. */
  readonly unreadable: string | undefined
}

/** What is in memory of a segment while its frames are read one after the other. */
class Scan {
  readonly #parts: AsyncGenerator<Buffer>
  /** Offset of the first byte in memory. */
  #start = 0
  #bytes: Buffer = Buffer.alloc(0)

  constructor(parts: AsyncGenerator<Buffer>) {
    this.#parts = parts
  }

  get end(): number {
    return this.#start + this.#bytes.length
  }

  /** Whether anything is at `offset`; what is before it is forgotten. */
  async holds(offset: number): Promise<boolean> {
    while (this.end <= offset) if (!(await this.#readOn(this.end, 1))) return false
    return true
  }

  /** The frame at `offset`. Throws zlib's error. */
  async frame(offset: number) {
    for (;;) {
      const bytes = this.#bytes.subarray(offset - this.#start)
      try {
        return decompressFirst(bytes)
      } catch (cause) {
        // Twice as much each time, so that a large frame is not tried for each of its parts.
        const mayGoOn = isCutShort(cause) && bytes.length < LARGEST_FRAME
        if (!mayGoOn || !(await this.#readOn(offset, bytes.length))) throw cause
      }
    }
  }

  /** The next of the offsets `places`, or of bytes that look like a frame, after `offset`; at last the end. */
  async next(offset: number, places: ReadonlyArray<number>): Promise<number> {
    const known = places.find((place) => place > offset) ?? Infinity
    for (let from = offset + 1; ;) {
      const at = this.#bytes.indexOf(MAGIC, Math.max(0, from - this.#start))
      const found = at === -1 ? Infinity : this.#start + at
      const next = Math.min(known, found)
      if (next <= this.end) return next
      // The last bytes may be the first ones of it.
      from = Math.max(from, this.end - MAGIC.length + 1)
      if (!(await this.#readOn(from, 1))) return this.end
    }
  }

  /** Reads at least as many bytes more, if there are; forgets what is before `from`. Returns whether there were any. */
  async #readOn(from: number, atLeast: number): Promise<boolean> {
    const kept = this.#bytes.subarray(Math.max(0, from - this.#start))
    const parts = [kept]
    let more = 0
    while (more < atLeast) {
      const { done, value } = await this.#parts.next()
      if (done === true) break
      parts.push(value)
      more += value.length
    }
    this.#start = this.end - kept.length
    this.#bytes = Buffer.concat(parts)
    return more > 0
  }

  async close(): Promise<void> {
    await this.#parts.return(undefined)
  }
}

/**
 * Reads every frame of a segment, including damaged ones. After a damaged frame it continues at the next `known` offset
 * of a frame, or at bytes that look like a frame and can be read. A frame at the end that was cut short by a kill is
 * not part of the segment: nothing in it was acknowledged.
 */
export async function* readFrames(
  store: ArchiveStore,
  file: string,
  known: ReadonlySet<number> = new Set(),
): AsyncGenerator<Frame> {
  const scan = new Scan(store.parts(file))
  const places = [...known].toSorted((a, b) => a - b)
  let offset = 0
  // Whether a frame must begin here, as opposed to bytes that only look like one.
  let isFrame = true
  try {
    while (await scan.holds(offset)) {
      try {
        const { content, length } = await scan.frame(offset)
        yield {
          place: { file, offset, length },
          unreadable: undefined,
          ...readLines(file, content),
        }
        offset += length
        isFrame = true
      } catch (cause) {
        const next = await scan.next(offset, places)
        const isLast = !(await scan.holds(next))
        if (isFrame && !(isLast && isCutShort(cause))) {
          const unreadable = `the frame at byte ${offset} can't be read (${reasonOf(cause)})`
          yield { place: { file, offset, length: next - offset }, unreadable, ...noLines }
        }
        offset = next
        isFrame = known.has(next)
      }
    }
  } finally {
    await scan.close()
  }
}

/** Reads every frame of a segment. Throws `ArchiveDamaged` at the first damage. */
export async function* readWholeFrames(store: ArchiveStore, file: string): AsyncGenerator<Frame> {
  for await (const frame of readFrames(store, file)) {
    const [damage = frame.unreadable] = frame.damages
    if (damage !== undefined) throw new ArchiveDamaged(file, damage)
    yield frame
  }
}
