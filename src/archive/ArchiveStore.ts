// The storage of the archive's segments: a folder (folderStore.ts) or object storage (objectArchive.ts). All segments
// are read and changed through this interface.

/** What is read of a segment at once, at most. */
export const PART_BYTES = 8 * 1024 * 1024

export interface StoredSegment {
  readonly file: string
  readonly bytes: number
}

/** Writes a segment to which only this process appends, as whole frames in the order of the calls. */
export interface SegmentWriter {
  /** Appends a frame, either completely or not at all, and returns its offset. */
  readonly append: (frame: Buffer) => Promise<number>
  /** Resolves once all appended frames are in the archive, even if this process is killed or the power fails. */
  readonly ship: () => Promise<void>
  /** Ships the rest and completes the segment. Nothing may be appended afterwards. */
  readonly end: () => Promise<void>
  readonly close: () => Promise<void>
}

export interface ArchiveStore {
  /** The path or address of a segment for messages, without secrets. */
  readonly pathOf: (file: string) => string
  /** The segments whose names begin with `start` (by default all), ordered by run or month. */
  readonly segments: (start?: string) => Promise<ReadonlyArray<StoredSegment>>
  /** Reads a whole segment in parts of any size, since it may be larger than the memory. */
  readonly parts: (file: string) => AsyncGenerator<Buffer>
  /** Reads `length` bytes from `offset` on, or fewer if the segment ends earlier. */
  readonly readPart: (file: string, offset: number, length: number) => Promise<Buffer>
  /** Returns a writer, which creates the segment with its first frame. */
  readonly write: (file: string) => SegmentWriter
  /** Appends a frame to a past segment at `end`, replacing a frame that a kill cut short. */
  readonly append: (file: string, end: number, frame: Buffer) => Promise<void>
  readonly remove: (file: string) => Promise<void>
}
