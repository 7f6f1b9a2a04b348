// Guards the database against a write that a kill or a power cut ends halfway (docs/decisions/0028-torn-writes.md): a
// checkpoint of DuckDB writes over blocks that the file needs until its next header is on the disk, so that what it may
// write over is kept beside the file first, as in InnoDB's doublewrite buffer.
import { hash } from "node:crypto"
import {
  closeSync,
  constants,
  fstatSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  statSync,
} from "node:fs"
import { open as openFile } from "node:fs/promises"
import { dirname } from "node:path"
import type { DuckDBConnection } from "@duckdb/node-api"
import { flush } from "../../../domain/flush.ts"
import { number } from "../../duckdb/decodeRow.ts"
import { readRows } from "../../duckdb/readRows.ts"
import { CATALOG, literal } from "../../sql/sql.ts"

// A DuckDB file: a header that stays, two slots that checkpoints write in turn, then the blocks. The whole slot with the
// higher iteration counts. Each begins with a checksum of the rest; all integers have 8 bytes.
const SLOT_BYTES = 4096
const SLOTS_AT = [SLOT_BYTES, 2 * SLOT_BYTES]
const BLOCKS_AT = 3 * SLOT_BYTES
const ITERATION_AT = 8
const BLOCK_BYTES_AT = 40

/** Bytes of the database file, and where they are in it. */
interface Piece {
  readonly at: number
  readonly bytes: Buffer
}

/** What is kept for the header that counts: both slots, then blocks. */
export const doublewriteFile = (database: string): string => `${database}.doublewrite`

const read = (descriptor: number, at: number, length: number): Piece => {
  const bytes = Buffer.alloc(length)
  readSync(descriptor, bytes, 0, length, at)
  return { at, bytes }
}

const readSlots = (descriptor: number): ReadonlyArray<Piece> =>
  SLOTS_AT.map((at) => read(descriptor, at, SLOT_BYTES))

/** Whether the checksum is right. */
const isWhole = ({ bytes }: Piece): boolean => {
  let sum = 5381n
  for (let at = 8; at < bytes.length; at += 8) {
    sum ^= BigInt.asUintN(64, bytes.readBigUInt64LE(at) * 0xbf58476d1ce4e5b9n)
  }
  return sum === bytes.readBigUInt64LE(0)
}

const iteration = (header: Buffer): bigint => header.readBigUInt64LE(ITERATION_AT)

/** The header that counts; in a new file, the second. */
const headerOf = (slots: ReadonlyArray<Piece>): Buffer | undefined =>
  slots
    .filter(isWhole)
    .map(({ bytes }) => bytes)
    .reduce<Buffer | undefined>(
      (best, each) => (best !== undefined && iteration(best) > iteration(each) ? best : each),
      undefined,
    )

/** The content of the file that is kept: a checksum, where each piece belongs, and the pieces. */
const encode = (pieces: ReadonlyArray<Piece>): Buffer => {
  const places = pieces.map(({ at, bytes }) => [at, bytes.length])
  const content = Buffer.concat([
    Buffer.from(`${JSON.stringify(places)}\n`),
    ...pieces.map(({ bytes }) => bytes),
  ])
  return Buffer.concat([Buffer.from(`${hash("sha256", content)}\n`), content])
}

/** What is kept; nothing where there is no such file, or where writing it was itself cut short. */
const keptPieces = (database: string): ReadonlyArray<Piece> => {
  if (!statSync(doublewriteFile(database), { throwIfNoEntry: false })) return []
  const file = readFileSync(doublewriteFile(database))
  const content = file.subarray(65)
  if (file.toString("latin1", 0, 64) !== hash("sha256", content)) return []
  let next = content.indexOf("\n") + 1
  const places = JSON.parse(content.toString("utf8", 0, next)) as ReadonlyArray<[number, number]>
  return places.map(([at, length]) => ({ at, bytes: content.subarray(next, (next += length)) }))
}

/** What is kept of the pieces of the database that a write has left torn. No process may have the database open. */
export const tornPieces = (database: string): ReadonlyArray<Piece> => {
  const kept = keptPieces(database)
  if (kept.length === 0) return []
  const descriptor = openSync(database, "r")
  try {
    const header = headerOf(readSlots(descriptor))
    if (header === undefined || headerOf(kept.slice(0, 2))?.equals(header) !== true) return []
    return kept.filter(({ at, bytes }) => {
      const found = read(descriptor, at, bytes.length)
      return !found.bytes.equals(bytes) && !isWhole(found)
    })
  } finally {
    closeSync(descriptor)
  }
}

/** Puts back what a write has left torn. No process may have the database open. */
export const mendTornWrites = async (database: string): Promise<void> => {
  const torn = tornPieces(database)
  if (torn.length === 0) return
  const file = await openFile(database, "r+")
  try {
    for (const { at, bytes } of torn) await file.write(bytes, 0, bytes.length, at)
    await file.sync()
  } finally {
    await file.close()
  }
}

/**
 * DuckDB's own descriptor of the database: to close another one would drop DuckDB's lock. `known` if it still is one: where a
 * second instance in this process has had the file open, it may have been that one's.
 */
const descriptorOf = (database: string, known: number | undefined): number => {
  const { dev, ino } = statSync(database)
  const isOfDatabase = (descriptor: number): boolean => {
    try {
      const about = fstatSync(descriptor)
      return about.dev === dev && about.ino === ino
    } catch {
      // It has been closed, as the one that listed the folder has.
      return false
    }
  }
  if (known !== undefined && isOfDatabase(known)) return known
  const found = readdirSync("/dev/fd").map(Number).find(isOfDatabase)
  if (found === undefined) throw new Error(`${database} is not among the open files in /dev/fd`)
  return found
}

const write = async (path: string, content: Buffer): Promise<void> => {
  const isNew = !statSync(path, { throwIfNoEntry: false })
  // Over the old content, which is of no more use: that needs one flush.
  const file = await openFile(path, constants.O_WRONLY | constants.O_CREAT, 0o600)
  try {
    await file.write(content, 0, content.length, 0)
    await file.truncate(content.length)
    await file.datasync()
  } finally {
    await file.close()
  }
  if (isNew) await flush(dirname(path))
}

/**
 * Call the result before whatever may checkpoint: COMMIT, CHECKPOINT, and closing the database. It keeps, flushed, what the
 * next checkpoint may write over, unless there was none since it did. `writer` has the database attached as `CATALOG`.
 */
export const keepingBlocks = (
  database: string,
  writer: DuckDBConnection,
): (() => Promise<void>) => {
  let descriptor: number | undefined
  let last: ReadonlyArray<Piece> = []
  return async () => {
    const open = (): number => (descriptor = descriptorOf(database, descriptor))
    const slots = readSlots(open())
    if (slots.every(({ bytes }, at) => last[at]?.bytes.equals(bytes))) return
    const header = headerOf(slots)
    if (header === undefined) return
    // DuckDB divides a block of metadata into 64 parts, puts new metadata into free ones, and writes the block in place.
    const blocks = await readRows(
      writer,
      `SELECT block_id FROM pragma_metadata_info(${literal(CATALOG)}) WHERE free_blocks > 0`,
    )
    const length = Number(header.readBigUInt64LE(BLOCK_BYTES_AT))
    const kept = blocks
      .map(number("block_id"))
      .map((id) => read(open(), BLOCKS_AT + id * length, length))
    await write(doublewriteFile(database), encode([...slots, ...kept]))
    last = slots
  }
}
