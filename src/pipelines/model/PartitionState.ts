// What earlier runs left for a partition.

/** A day inside the known range of a series: one that lacks points, or a neighbour of such a day. */
export interface MissingSlotDay {
  /** Days since 1970. */
  readonly day: number
  /** Number of hours or days that have a point. */
  readonly present: number
  /** Starts of the hours or days without one, microseconds since 1970 UTC. */
  readonly missing: ReadonlyArray<number>
}

export interface MissingSlots {
  /** How long an expected hour or day lasts, microseconds. */
  readonly slotMicros: number
  /** Oldest first. */
  readonly days: ReadonlyArray<MissingSlotDay>
}

export interface OpenGap {
  readonly fromAt: number
  readonly toAt: number
}

/** How earlier runs failed to read a partition. */
export interface Failing {
  /** The kind of error of its newest failure. */
  readonly errorTag: string
  /** Why this run does not request it, and when one will; absent if it is to be read. */
  readonly waits?: string
}

export interface PartitionState {
  /** The cursor stored for a key: the partition's, or that of one of its series. */
  readonly cursor: (entity: string) => unknown
  readonly openGaps: ReadonlyArray<OpenGap>
  /** Whether a fixed window need not be read yet: its absence is remembered, or its response still cached (§8). */
  readonly isSkipped: (window: string) => boolean
  /** What a run that fills gaps reads again, by series (mart.series); absent in other runs. */
  readonly missingSlots?: ReadonlyMap<string, MissingSlots>
  /** Absent if the newest run that planned it read it, or if this run reads everything again. */
  readonly failing?: Failing
}
