// A vault as a partition of pipelines.
import type { AddressKind } from "../values/address.ts"

export interface VaultRef {
  /** The canonical spelling, for joins. */
  readonly address: string
  /** The address as the service spells it, for requests. */
  readonly wireAddress: string
  readonly chainId: number
  /** `other`: no endpoint takes the address. */
  readonly kind: AddressKind | "other"
  /** The day on which the vault began, in days since 1970, if the service sends it. */
  readonly startedOn: number | undefined
}

/** The vault of a task. */
export interface TaskVault {
  /** The canonical spelling, for joins. */
  readonly address: string
  /** Absent if requests contain only the address, for all its chains. */
  readonly chainId?: number
}
