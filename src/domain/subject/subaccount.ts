// A subaccount as a partition of pipelines.

export interface SubaccountRef {
  /** The canonical spelling, for joins. */
  readonly address: string
  /** The address as the service spells it, for requests. */
  readonly wireAddress: string
}
