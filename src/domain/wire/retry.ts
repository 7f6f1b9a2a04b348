// A failed attempt that is about to be repeated, for commands that show why they wait.
export interface Retry {
  readonly endpoint: string
  /** `undefined` if there was no response. */
  readonly status: number | undefined
  /** The error message; never contains a credential. */
  readonly detail: string
  /** The seconds until the next attempt. */
  readonly waitSeconds: number
  /** The number of the next attempt, which is at least 2. */
  readonly attempt: number
  /** The maximum number of attempts of a call. */
  readonly attempts: number
}
