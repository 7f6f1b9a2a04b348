// The metadata of a response.

/** The response that rows were read from, and its time, which orders their history. */
export interface Lineage {
  readonly responseId: string
  /** When its body was complete, in microseconds since 1970 UTC; unique among the responses of a run. */
  readonly receivedAt: number
}

/** The parts of a request that a replay needs, and the status of the response. */
export interface ExchangeRecord {
  readonly endpoint: string
  readonly method: string
  /** The URL, without credentials. */
  readonly url: string
  /** The body of a POST request. */
  readonly requestBody: string | null
  /** The inputs of the endpoint by client-side name, as JSON. */
  readonly inputs: string
  /** The partition that the request is about, as JSON. */
  readonly subject: string
  readonly status: number
}

export interface ArchivedResponse extends Lineage, ExchangeRecord {
  readonly bytes: number
  /** The content address of the body. */
  readonly sha256: string
  /** The segment below `<data-dir>/raw`, followed by the position of the frame with the body. */
  readonly file: string
  readonly offset: number
  readonly length: number
}
