// Stores the archive in a folder, with a file for each segment.
import { existsSync, readdirSync } from "node:fs"
import { type FileHandle, open, rm } from "node:fs/promises"
import { basename, join } from "node:path"
import { flush, makeFolder } from "../domain/flush.ts"
import { NotRegular, regularFileSize } from "../domain/regularFile.ts"
import { type ArchiveStore, PART_BYTES, type SegmentWriter } from "./ArchiveStore.ts"
import { ArchiveDamaged } from "./lines.ts"
import { SEGMENT_SUFFIX } from "./segments.ts"

export const folderStore = (directory: string): ArchiveStore => ({
  pathOf: (file) => `${basename(directory)}/${file}`,
  segments: async (start = "") => {
    if (!existsSync(directory)) return []
    const files = readdirSync(directory)
      .filter((file) => file.startsWith(start) && file.endsWith(SEGMENT_SUFFIX))
      .toSorted()
    const sizes = await Promise.all(files.map((file) => bytesOf(directory, file)))
    return files.flatMap((file, at) => {
      const bytes = sizes[at]
      return bytes === undefined ? [] : [{ file, bytes }]
    })
  },
  parts: async function* (file) {
    const handle = await open(join(directory, file), "r")
    try {
      for (let at = 0; ;) {
        const bytes = Buffer.allocUnsafe(PART_BYTES)
        const { bytesRead } = await handle.read(bytes, 0, bytes.length, at)
        if (bytesRead === 0) return
        yield bytes.subarray(0, bytesRead)
        at += bytesRead
      }
    } finally {
      await handle.close()
    }
  },
  readPart: async (file, offset, length) => {
    const handle = await open(join(directory, file), "r")
    try {
      const bytes = Buffer.alloc(length)
      const { bytesRead } = await handle.read(bytes, 0, length, offset)
      return bytes.subarray(0, bytesRead)
    } finally {
      await handle.close()
    }
  },
  write: (file) => writer(directory, file),
  append: async (file, end, frame) => {
    // At the end of the file, even if a process that hung begins to write it again now.
    const handle = await open(join(directory, file), "a")
    try {
      await handle.truncate(end)
      await handle.appendFile(frame)
      await handle.datasync()
    } finally {
      await handle.close()
    }
  },
  remove: (file) => rm(join(directory, file)),
})

/**
 * `undefined` if a run has removed it since the folder was read. Throws for a symbolic link, which leads out of the archive, and for
 * a pipe, whose content never ends.
 */
const bytesOf = (directory: string, file: string): Promise<number | undefined> =>
  regularFileSize(join(directory, file)).catch((cause: unknown) => {
    if ((cause as NodeJS.ErrnoException).code === "ENOENT") return undefined
    throw cause instanceof NotRegular ? new ArchiveDamaged(file, cause.message) : cause
  })

const writer = (directory: string, file: string): SegmentWriter => {
  let handle: FileHandle | undefined
  let end = 0
  // Set if the segment may end with part of a frame, or was not flushed, so that nothing more may be appended.
  let broken: { readonly cause: unknown } | undefined
  let flushed = 0
  let underWay: Promise<void> = Promise.resolve()
  let next: Promise<void> | undefined

  const flushAll = async (): Promise<void> => {
    if (broken !== undefined) throw broken.cause
    if (handle === undefined || flushed === end) return
    const isNew = flushed === 0
    const to = end
    try {
      await handle.datasync()
      if (isNew) await flush(directory)
      flushed = to
    } catch (cause) {
      // Another attempt would succeed without what this one has lost.
      broken = { cause }
      throw cause
    }
  }

  /** All calls made during a flush wait for the same next one. */
  const ship = (): Promise<void> =>
    (next ??= underWay
      .catch(() => undefined)
      .then(() => {
        next = undefined
        return (underWay = flushAll())
      }))

  return {
    append: async (frame) => {
      if (broken !== undefined) throw broken.cause
      if (handle === undefined) {
        await makeFolder(directory)
        const opened = await open(join(directory, file), "a", 0o600)
        end = (await opened.stat()).size
        handle = opened
      }
      try {
        await handle.appendFile(frame)
      } catch (cause) {
        // On a full disk part of a frame may be written, and readers would not find the frames after it.
        await handle.truncate(end).catch(() => (broken = { cause }))
        throw cause
      }
      const offset = end
      end += frame.length
      return offset
    },
    ship,
    end: ship,
    close: async () => handle?.close(),
  }
}
