// Where the segments of the archive are kept: in a folder (folderStore.ts) or in object storage (objectArchive.ts).
// All segments are read and changed through it.

export interface StoredSegment {
  readonly file: string
  readonly bytes: number
}

/** Writes a segment that only this process appends to, as whole frames in the order of the calls. */
export interface SegmentWriter {
  /** Returns the offset of the frame. A frame that could not be appended leaves no part of itself. */
  readonly append: (frame: Buffer) => Promise<number>
  /** Resolves once all appended frames are in the archive, even if this process is killed. */
  readonly ship: () => Promise<void>
  /** Ships the rest and completes the segment. Nothing is appended afterwards. */
  readonly end: () => Promise<void>
  readonly close: () => Promise<void>
}

export interface ArchiveStore {
  /** Path or address of a segment for messages, without secrets. */
  readonly pathOf: (file: string) => string
  /** Segments whose names begin with `start` (default: all), ordered by run or month. */
  readonly segments: (start?: string) => Promise<ReadonlyArray<StoredSegment>>
  /** A whole segment. */
  readonly read: (file: string) => Promise<Buffer>
  /** `length` bytes from `offset` on, fewer where the segment ends earlier. */
  readonly readPart: (file: string, offset: number, length: number) => Promise<Buffer>
  /** Creates the segment with its first frame. */
  readonly write: (file: string) => SegmentWriter
  /** Appends a frame to a past segment at `end`, in place of a frame that a kill cut short. */
  readonly append: (file: string, end: number, frame: Buffer) => Promise<void>
  readonly remove: (file: string) => Promise<void>
}
