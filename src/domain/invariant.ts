// Invariants: what must hold whenever data is written, or some of it would be lost, doubled or falsified. A broken one is a
// defect of vaulthouse, never of the service. The transaction is rolled back, and the error says which one it was.

/** What was found: names, counts and identifiers, never values that could be secret. */
export type Found = Readonly<Record<string, string | number | boolean | null | undefined>>

export class BrokenInvariant extends Error {
  override readonly name = "BrokenInvariant"
  /** What should have held, as a sentence without a full stop. */
  readonly invariant: string
  readonly found: Found

  constructor(invariant: string, found: Found) {
    const values = Object.entries(found).map(([name, value]) => `${name} = ${String(value)}`)
    super(`an invariant is broken: ${invariant} (${values.join(", ")})`)
    this.invariant = invariant
    this.found = found
  }
}

/** Throws `BrokenInvariant` unless it holds. It has to be as cheap as a comparison, however long the history is. */
export const invariant = (holds: boolean, text: string, found: Found): void => {
  if (!holds) throw new BrokenInvariant(text, found)
}
