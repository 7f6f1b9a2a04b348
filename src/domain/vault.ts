// A vault as pipelines fan out over it.
import type { AddressKind } from "./address.ts"

export interface VaultRef {
  /** The spelling joins use. */
  readonly address: string
  /** The spelling the service uses; sent back to it as it is. */
  readonly served: string
  readonly chainId: number
  readonly kind: AddressKind
  /** Day (since 1970) the vault says it began, when it says so. */
  readonly startedOn: number | undefined
}

/** The vault a question is about. */
export interface AskedVault {
  /** The spelling joins use. */
  readonly address: string
  /** Absent where the service is asked by the address alone, whatever its chains. */
  readonly chainId?: number
}
