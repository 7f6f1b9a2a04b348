// What the rows of a vault's series need beside the points themselves.
import type { VaultRef } from "../domain/vault.ts"

export interface SeriesContext {
  readonly vault: VaultRef
  readonly responseId: string
  /** Names to look for a point's time under, in order. */
  readonly timeFields: ReadonlyArray<string>
}
