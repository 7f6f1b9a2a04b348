// A response as the archive keeps it, without its body.

/** The response rows were read from, and when it came: what their history is ordered by. */
export interface Origin {
  readonly responseId: string
  /** When its body was complete, microseconds since 1970 UTC; no two responses of a run share one. */
  readonly receivedAt: number
}

/** What was asked, all that a replay needs to know of it, and the status of the answer. */
export interface AnsweredQuestion {
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
}

export interface ArchivedResponse extends Origin, AnsweredQuestion {
  readonly bytes: number
  /** Content address of the body. */
  readonly sha256: string
  /** Segment below `<data-dir>/raw`, and where in it the frame lies that holds the response. */
  readonly file: string
  readonly offset: number
  readonly length: number
}
