// A response as the archive keeps it, without its body.

/** The response rows were read from, and when it came: what their history is ordered by. */
export interface Origin {
  readonly responseId: string
  /** Microseconds since 1970 UTC; no two responses of a run share one. */
  readonly receivedAt: number
}

export interface ArchivedResponse {
  readonly responseId: string
  readonly endpoint: string
  readonly method: string
  /** Address asked, without credentials. */
  readonly url: string
  /** Body sent, for POST. */
  readonly requestBody: string | null
  /** Inputs of the endpoint by client-side name, and what the question was about; JSON. */
  readonly inputs: string
  readonly subject: string
  readonly status: number
  /** Microseconds since 1970 UTC at which the body was complete. */
  readonly receivedAt: number
  readonly bytes: number
  /** Content address of the body. */
  readonly sha256: string
  /** Segment below `<data-dir>/raw`, and where in it the frame lies that holds the response. */
  readonly file: string
  readonly offset: number
  readonly length: number
}
