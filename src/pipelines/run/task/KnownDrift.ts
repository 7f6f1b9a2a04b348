// The drift that is already recorded, so that each note is reported once, not on every page.
import type { Drift } from "../../../domain/wire/violation.ts"

export interface DriftKey {
  readonly endpoint: string
  readonly path: string
  readonly kind: string
}

const textOf = ({ endpoint, path, kind }: DriftKey): string => `${endpoint} ${path} ${kind}`

export class KnownDrift {
  readonly #known: Set<string>

  constructor(known: ReadonlyArray<DriftKey>) {
    this.#known = new Set(known.map(textOf))
  }

  /** Returns the notes that are new, and counts them as known from now on. */
  add(endpoint: string, notes: ReadonlyArray<Drift>): ReadonlyArray<Drift> {
    return notes.filter(({ path, kind }) => {
      const key = textOf({ endpoint, path, kind })
      const isNew = !this.#known.has(key)
      this.#known.add(key)
      return isNew
    })
  }
}
