// A vault as a partition of pipelines.
import type { AddressKind } from "./address.ts"

export interface VaultRef {
  /** The spelling joins use. */
  readonly address: string
  /** The spelling the service uses; sent back to it as it is. */
  readonly wireAddress: string
  readonly chainId: number
  readonly kind: AddressKind
  /** Day (since 1970) the vault began, where the service says it. */
  readonly startedOn: number | undefined
}

/** The vault of a task. */
export interface TaskVault {
  /** The spelling joins use. */
  readonly address: string
  /** Absent where requests name the address alone, for all its chains. */
  readonly chainId?: number
}
