// A failed attempt that is about to be repeated, for commands that show what they wait for.
export interface Retry {
  readonly endpoint: string
  /** `undefined` without a response. */
  readonly status: number | undefined
  /** What went wrong, as an error message; never holds a credential. */
  readonly detail: string
  /** Seconds until the next attempt. */
  readonly waitSeconds: number
  /** Number of the next attempt, so at least 2. */
  readonly attempt: number
  /** The most attempts a call may make. */
  readonly attempts: number
}
