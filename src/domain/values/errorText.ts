// Removes the details from error texts, so that a summary can show equal errors once.

/** The text without the endpoint, the subject, the address and the number of attempts. */
export const reasonOf = (error: string): string =>
  error
    .replace(/^[a-z0-9_]+(?: for [^:]+)?: /, "")
    .replace(/^not sent: every request has failed since \S+ UTC: /, "")
    .replace(/, from https?:\S+/, "")
    .replace(/, after \d+ attempts$/, "")

/** The same text for every request that fails in the same way, at any path. */
export const causeOf = (error: string): string => reasonOf(error).replaceAll(/https?:\S+/g, "…")
