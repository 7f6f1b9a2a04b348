// Word of an attempt that failed and is made again: for whoever shows what a command waits for.
export interface Retry {
  readonly endpoint: string
  /** `undefined` where no answer came. */
  readonly status: number | undefined
  /** What was wrong, as an error would say it; holds no credential. */
  readonly detail: string
  /** Seconds until the next attempt. */
  readonly waitSeconds: number
  /** Number of the next attempt, so at least 2. */
  readonly attempt: number
  /** How many there will be at most. */
  readonly attempts: number
}
