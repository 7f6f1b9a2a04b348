// Stores the archive in a folder, with a file for each segment.
import { existsSync, readdirSync, statSync } from "node:fs"
import { type FileHandle, mkdir, open, readFile, rm } from "node:fs/promises"
import { basename, join } from "node:path"
import type { ArchiveStore, SegmentWriter } from "./ArchiveStore.ts"
import { SEGMENT_SUFFIX } from "./segments.ts"

export const folderStore = (directory: string): ArchiveStore => ({
  pathOf: (file) => `${basename(directory)}/${file}`,
  segments: async (start = "") =>
    existsSync(directory)
      ? readdirSync(directory)
          .filter((file) => file.startsWith(start) && file.endsWith(SEGMENT_SUFFIX))
          .toSorted()
          .map((file) => ({ file, bytes: statSync(join(directory, file)).size }))
      : [],
  read: (file) => readFile(join(directory, file)),
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

const writer = (directory: string, file: string): SegmentWriter => {
  let handle: FileHandle | undefined
  let end = 0
  // Set if the segment may end with part of a frame, so that nothing more may be appended.
  let broken: { readonly cause: unknown } | undefined
  return {
    append: async (frame) => {
      if (broken !== undefined) throw broken.cause
      if (handle === undefined) {
        await mkdir(directory, { recursive: true, mode: 0o700 })
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
    // The content of the file survives a kill of the process.
    ship: async () => undefined,
    end: async () => handle?.datasync(),
    close: async () => handle?.close(),
  }
}
