// What is known of a response apart from its body.

/** The response that rows were read from, and its time, which orders their history. */
export interface Lineage {
  readonly responseId: string
  /** When its body was complete, microseconds since 1970 UTC; no two responses of a run share one. */
  readonly receivedAt: number
}

/** The request, as far as a replay needs it, and the status of the response. */
export interface ExchangeRecord {
  readonly endpoint: string
  readonly method: string
  /** Without credentials. */
  readonly url: string
  /** Body of a POST. */
  readonly requestBody: string | null
  /** Inputs of the endpoint by client-side name, and what the request is about; JSON. */
  readonly inputs: string
  readonly subject: string
  readonly status: number
}

export interface ArchivedResponse extends Lineage, ExchangeRecord {
  readonly bytes: number
  /** Content address of the body. */
  readonly sha256: string
  /** Segment below `<data-dir>/raw`, and where in it the frame with the body is. */
  readonly file: string
  readonly offset: number
  readonly length: number
}
