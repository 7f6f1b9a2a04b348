// Where the segments of the archive are kept: in a folder (folderStore.ts) or in object storage (objectArchive.ts).
// All segments are read and changed through it.

export interface StoredSegment {
  readonly file: string
  readonly bytes: number
}

/** Writes a segment of this process's own. Frames are whole, and stay in the order in which they were appended. */
export interface SegmentWriter {
  /** Returns where the frame begins. A frame that could not be appended leaves no part of itself. */
  readonly append: (frame: Buffer) => Promise<number>
  /** Once it resolves, everything appended before is in the archive, whatever becomes of this process. */
  readonly ship: () => Promise<void>
  /** Ships, and leaves the segment as it will be kept. Nothing is appended after it. */
  readonly end: () => Promise<void>
  readonly close: () => Promise<void>
}

export interface ArchiveStore {
  /** Of a segment, for messages: no secrets. */
  readonly pathOf: (file: string) => string
  /** Those whose names begin with `start`, or all; in the order of their runs, or months. */
  readonly segments: (start?: string) => Promise<ReadonlyArray<StoredSegment>>
  /** A whole segment. */
  readonly read: (file: string) => Promise<Buffer>
  /** Shorter where the segment ends before. */
  readonly readPart: (file: string, offset: number, length: number) => Promise<Buffer>
  /** Creates the segment with its first frame. */
  readonly write: (file: string) => SegmentWriter
  /** Adds a frame to a past segment; it replaces what follows `end`, a frame that a kill cut short. */
  readonly append: (file: string, end: number, frame: Buffer) => Promise<void>
  readonly remove: (file: string) => Promise<void>
}
