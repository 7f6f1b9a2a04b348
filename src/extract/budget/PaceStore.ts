// Where the pace of one origin is stored for all processes that send requests to it.
import type * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"

export interface PaceStore {
  readonly read: Effect.Effect<StoredPace, PaceStoreError>
  /** Stores a state if `version` is still the stored version; with `announce`, all processes read it at once. */
  readonly replace: (
    version: number,
    state: string,
    announce: boolean,
  ) => Effect.Effect<boolean, PaceStoreError>
  /** Runs `listener` whenever this process or another has announced a state, until the scope closes. */
  readonly onAnnounced: (listener: () => void) => Effect.Effect<void, never, Scope.Scope>
  /** Called once, when other processes are found that send requests too. */
  readonly onShared?: ((others: number) => void) | undefined
}

export interface StoredPace {
  /** 0 if nothing is stored. */
  readonly version: number
  readonly state: string | undefined
  /** The time of the store's clock in milliseconds. */
  readonly now: number
}

export interface PaceStoreError {
  readonly message: string
}
