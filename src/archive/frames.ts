// A frame of a segment: lines of the response archive, compressed together.
import { promisify } from "node:util"
import { constants, zstdCompress, zstdDecompress, zstdDecompressSync } from "node:zlib"

const compress = promisify(zstdCompress)
const decompress = promisify(zstdDecompress)

export const FRAME_LINES = 16
/** Lines that are longer together get frames of their own, so that a frame never unpacks to more than LARGEST_FRAME. */
export const FRAME_BYTES = 64 * 1024 * 1024

/** Compresses the lines to one frame. */
export const frameOf = (lines: ReadonlyArray<Buffer>, level: number): Promise<Buffer> =>
  compress(Buffer.concat(lines), {
    params: { [constants.ZSTD_c_compressionLevel]: level, [constants.ZSTD_c_checksumFlag]: 1 },
  })

/** The place of a body: the segment, and the frame in it that contains the body's line. */
export interface Place {
  readonly file: string
  readonly offset: number
  readonly length: number
}

/** The first bytes of a zstd frame. */
export const MAGIC = Buffer.from([0x28, 0xb5, 0x2f, 0xfd])

/**
 * The most that a frame unpacks to: far above what is written, which a few bytes made to fill the memory would exceed.
 */
export const LARGEST_FRAME = 512 * 1024 * 1024
const limited = { maxOutputLength: LARGEST_FRAME }

/** What zlib's error says. */
export const reasonOf = (cause: unknown): string =>
  (cause as NodeJS.ErrnoException).code === "ERR_BUFFER_TOO_LARGE"
    ? `it unpacks to more than ${LARGEST_FRAME / 1024 ** 2} MB`
    : String(cause)

/** The content of a frame. Throws zlib's error. */
export const decompressFrame = (bytes: Buffer): Promise<Buffer> => decompress(bytes, limited)

/** The content and length of the frame at the beginning of `bytes`. Throws zlib's error. */
export const decompressFirst = (bytes: Buffer) => {
  // TypeScript's library does not have the option `info`.
  const read = zstdDecompressSync(bytes, { ...limited, info: true }) as unknown as {
    readonly buffer: Buffer
    readonly engine: { readonly bytesWritten: number }
  }
  return { content: read.buffer, length: read.engine.bytesWritten }
}

/** Whether zlib's error says that the frame goes on behind the bytes it was given. */
export const isCutShort = (cause: unknown): boolean =>
  (cause as NodeJS.ErrnoException).code === "Z_BUF_ERROR"
