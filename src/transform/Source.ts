// What the rows of an answer are made from beside the answer itself, and what they come as. All of it is
// kept in the archive, so that a replay makes the same rows again.
import type { Origin } from "../domain/response.ts"
import type { Rows } from "../domain/table.ts"
import type { Drift } from "../domain/violation.ts"
import type { Mapped } from "./mapRecords.ts"

/** `S` is what the question was about: a vault, a subaccount, a loan, … */
export interface Source<S> {
  readonly origin: Origin
  readonly subject: S
  /** Inputs of the endpoint, by client-side name. */
  readonly inputs: Readonly<Record<string, unknown>>
  /** Names to look for a point's time under, in order. */
  readonly timeFields: ReadonlyArray<string>
  /**
   * In a replay, the window the answer landed under: what only the whole of a reading could tell. `all` where the
   * archive does not say, which lines of its first format don't.
   */
  readonly window?: string
}

/** Rows of all the tables an answer fills. */
export interface MappedAnswer {
  readonly rows: ReadonlyArray<Rows>
  readonly drift: ReadonlyArray<Drift>
}

export const together = (...parts: ReadonlyArray<Mapped>): MappedAnswer => ({
  rows: parts.map(({ rows }) => rows),
  drift: parts.flatMap(({ drift }) => drift),
})
