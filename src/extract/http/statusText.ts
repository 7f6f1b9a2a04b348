// The name of an HTTP status, such as `Not Found`.

/** `undefined` for a status without one. */
export const statusText = (status: number): string | undefined =>
  // An import of node:http would load all that it exports, Node's own HTTP client too: a tenth of a run's start.
  process.getBuiltinModule("node:http").STATUS_CODES[status]
