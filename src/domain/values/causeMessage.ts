// What something that was thrown says of itself: it need not be an Error.

export const causeMessage = (cause: unknown): string =>
  cause instanceof Error ? cause.message : String(cause)
