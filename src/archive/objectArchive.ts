// Stores the archive in object storage. A segment is one object, or pieces that are named by their offset in the
// segment (docs/decisions/0024-archive-in-object-storage.md). Pieces contain whole frames and never change; only one that
// was copied from a folder may end with part of a frame, which is replaced.
import { randomUUID } from "node:crypto"
import { type FileHandle, open, rm } from "node:fs/promises"
import { join } from "node:path"
import { setTimeout } from "node:timers/promises"
import { type ArchiveStore, PART_BYTES, type SegmentWriter } from "./ArchiveStore.ts"
import { isMissing, type ObjectStore, type StoredObject } from "./ObjectStore.ts"
import { SEGMENT_SUFFIX } from "./segments.ts"
import { makeFolder } from "../domain/flush.ts"

/** A segment or a part of it. */
interface Piece extends StoredObject {
  readonly offset: number
}

const DIGITS = 15
const pieceName = (file: string, offset: number): string =>
  `${file}/${String(offset).padStart(DIGITS, "0")}`

// The next piece grows while one is uploaded; without this delay, a fast store would get a piece for each commit.
const LINGER_MS = 20
// Larger segments stay in pieces.
const LARGEST_JOINED = 64 * 1024 * 1024
// Bodies are mostly read in the order in which they were written.
const READ_AHEAD = 1024 * 1024
const WINDOWS_KEPT = 8
const READS_AT_ONCE = 8

/** `spool` is a local folder for frames that have not been shipped yet. */
export const objectArchive = (objects: ObjectStore, spool: string): ArchiveStore => {
  const known = new Map<string, ReadonlyArray<Piece>>()
  let windows: Array<{ readonly name: string; readonly from: number; readonly bytes: Buffer }> = []

  const piecesOf = async (file: string): Promise<ReadonlyArray<Piece>> => {
    const found = known.get(file) ?? segmentsOf(await objects.list(file)).get(file) ?? []
    known.set(file, found)
    return found
  }

  const readFrom = async (file: string, offset: number, length: number): Promise<Buffer> => {
    const piece = (await piecesOf(file)).findLast((each) => each.offset <= offset)
    if (piece === undefined) throw new Error(`${objects.location}/${file} does not exist`)
    const { name, bytes } = piece
    const from = offset - piece.offset
    const isIn = (window: (typeof windows)[number]): boolean =>
      window.name === name &&
      window.from <= from &&
      from + length <= window.from + window.bytes.length
    let window = windows.find(isIn)
    if (window === undefined) {
      const wanted = Math.min(Math.max(length, READ_AHEAD), bytes - from)
      if (wanted <= 0) return Buffer.alloc(0)
      window = { name, from, bytes: await objects.read(name, from, wanted) }
      windows.push(window)
      if (windows.length > WINDOWS_KEPT) windows.shift()
    }
    return window.bytes.subarray(from - window.from, from - window.from + length)
  }

  /** Some bytes of the segment from its byte `at` on: part of a piece, or several small ones; none at the end. */
  const readOn = async (file: string, at: number): Promise<Buffer> => {
    const pieces = await piecesOf(file)
    if (pieces.length === 0) throw new Error(`${objects.location}/${file} does not exist`)
    const reads: Array<Promise<Buffer>> = []
    let left = PART_BYTES
    let start = 0
    for (const { name, bytes } of pieces) {
      const from = Math.max(0, at - start)
      start += bytes
      if (from >= bytes) continue
      const length = Math.min(bytes - from, left)
      reads.push(objects.read(name, from, length))
      left -= length
      if (left === 0 || reads.length === READS_AT_ONCE) break
    }
    return Buffer.concat(await Promise.all(reads))
  }

  /** Repeats `work` if an object is missing, because pieces may have been joined since they were listed. */
  const relistingIfMissing = async <A>(file: string, work: () => Promise<A>): Promise<A> => {
    try {
      return await work()
    } catch (cause) {
      if (!isMissing(cause)) throw cause
      known.delete(file)
      return work()
    }
  }

  return {
    pathOf: (file) => `${objects.location}/${file}`,
    segments: async (start = "") => {
      const found = segmentsOf(await objects.list(start))
      if (start === "") known.clear()
      for (const [file, pieces] of found) known.set(file, pieces)
      return [...found].map(([file, pieces]) => ({
        file,
        bytes: pieces.reduce((sum, { bytes }) => sum + bytes, 0),
      }))
    },
    parts: async function* (file) {
      for (let at = 0; ;) {
        const from = at
        const bytes = await relistingIfMissing(file, () => readOn(file, from))
        if (bytes.length === 0) return
        yield bytes
        at += bytes.length
      }
    },
    readPart: (file, offset, length) =>
      relistingIfMissing(file, () => readFrom(file, offset, length)),
    write: (file) => new Shipper(objects, spool, file),
    append: async (file, end, frame) => {
      const torn = (await piecesOf(file)).find(({ offset, bytes }) => offset + bytes > end)
      if (torn === undefined) {
        await objects.write(pieceName(file, end), frame)
      } else {
        // A piece beside it would be behind the part of a frame, or be taken for contained.
        const { name, offset } = torn
        const kept = end === offset ? [] : [await objects.read(name, 0, end - offset)]
        await objects.write(name, Buffer.concat([...kept, frame]))
        windows = windows.filter((window) => window.name !== name)
      }
      known.delete(file)
    },
    remove: async (file) => {
      for (const { name } of await objects.list(file)) {
        if (segmentOf(name) === file) await objects.remove(name)
      }
      known.delete(file)
    },
  }
}

const segmentOf = (name: string): string => name.split("/")[0] ?? name

/** The segments by name, each with its pieces in order, without those that are contained in a joined one. */
const segmentsOf = (
  objects: ReadonlyArray<StoredObject>,
): ReadonlyMap<string, ReadonlyArray<Piece>> => {
  const ofSegments = objects.filter(({ name, bytes }) => isOfSegment(name) && bytes > 0)
  const bySegment = [...Map.groupBy(ofSegments, ({ name }) => segmentOf(name))].toSorted(
    ([one], [other]) => (one < other ? -1 : 1),
  )
  return new Map(
    bySegment.map(([file, parts]) => {
      const pieces = parts
        .map(({ name, bytes }) => ({ name, bytes, offset: Number(name.split("/")[1] ?? 0) }))
        .toSorted((one, other) => one.offset - other.offset || other.bytes - one.bytes)
      let end = 0
      const kept = pieces.filter(({ offset, bytes }) => {
        const isContained = offset + bytes <= end
        end = Math.max(end, offset + bytes)
        return !isContained
      })
      return [file, kept] as const
    }),
  )
}

const isOfSegment = (name: string): boolean => {
  const [file = "", offset, ...more] = name.split("/")
  return file.endsWith(SEGMENT_SUFFIX) && /^(\d{15})?$/.test(offset ?? "") && more.length === 0
}

/** Appends frames to an unlinked local file, and ships them from there. */
class Shipper implements SegmentWriter {
  readonly #objects: ObjectStore
  readonly #spool: string
  readonly #file: string
  #handle: FileHandle | undefined
  #end = 0
  #shipped = 0
  readonly #pieces: Array<string> = []
  #underWay: Promise<void> = Promise.resolve()
  #next: Promise<void> | undefined

  constructor(objects: ObjectStore, spool: string, file: string) {
    this.#objects = objects
    this.#spool = spool
    this.#file = file
  }

  async append(frame: Buffer): Promise<number> {
    const handle = (this.#handle ??= await this.#open())
    const offset = this.#end
    const { bytesWritten } = await handle.write(frame, 0, frame.length, offset)
    if (bytesWritten < frame.length) throw new Error(`the disk with ${this.#spool} is full`)
    this.#end += frame.length
    if (this.#end - this.#shipped > LARGEST_JOINED) await this.ship()
    return offset
  }

  /** All calls made while a piece is uploaded wait for the same next piece. */
  ship(): Promise<void> {
    if (this.#next !== undefined) return this.#next
    const next = this.#underWay
      .then(() => setTimeout(LINGER_MS))
      .then(() => {
        this.#next = undefined
        return (this.#underWay = this.#put())
      })
    this.#next = next
    return next
  }

  async end(): Promise<void> {
    if (this.#end > LARGEST_JOINED) return this.ship()
    await this.#underWay
    // One object replaces many small ones; until those are removed, readers ignore them.
    await this.#objects.write(this.#file, await this.#bytes(0, this.#end))
    for (const piece of this.#pieces) await this.#objects.remove(piece)
  }

  async close(): Promise<void> {
    await this.#handle?.close()
  }

  async #open(): Promise<FileHandle> {
    await makeFolder(this.#spool)
    const path = join(this.#spool, `${this.#file}.${randomUUID()}`)
    const handle = await open(path, "wx+", 0o600)
    // The unlinked file disappears with the process; frames that were not shipped were not committed.
    await rm(path)
    return handle
  }

  async #put(): Promise<void> {
    const from = this.#shipped
    const to = this.#end
    if (from === to) return
    const name = pieceName(this.#file, from)
    await this.#objects.write(name, await this.#bytes(from, to))
    this.#pieces.push(name)
    this.#shipped = to
  }

  async #bytes(from: number, to: number): Promise<Buffer> {
    const bytes = Buffer.alloc(to - from)
    await this.#handle?.read(bytes, 0, bytes.length, from)
    return bytes
  }
}
