// A subaccount as a partition of pipelines.

export interface SubaccountRef {
  /** The spelling joins use. */
  readonly address: string
  /** The spelling the service uses; sent back to it as it is. */
  readonly wireAddress: string
}
