// A subaccount as pipelines fan out over it.

export interface SubaccountRef {
  /** The spelling joins use. */
  readonly address: string
  /** The spelling the service uses; sent back to it as it is. */
  readonly served: string
}
