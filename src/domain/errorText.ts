// What the texts of many errors have in common, so that a summary can say it once.

/** Without the endpoint, the subject, the address and the number of attempts. */
export const reasonOf = (error: string): string =>
  error
    .replace(/^[a-z0-9_]+(?: for [^:]+)?: /, "")
    .replace(/^not sent: every request has failed since \S+ UTC: /, "")
    .replace(/, from https?:\S+/, "")
    .replace(/, after \d+ attempts$/, "")

/** The same for every request that fails in the same way, at whatever path. */
export const causeOf = (error: string): string => reasonOf(error).replaceAll(/https?:\S+/g, "…")
