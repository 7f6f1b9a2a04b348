// How often a request was tried, in the text of its error; and the text without such details, so that a summary can show
// equal errors once.

/** Adds how often it was tried: before what to do about it, if the text ends with that. */
export const withAttempts = (text: string, attempts: number): string => {
  if (attempts <= 1) return text
  const advice = text.lastIndexOf("; ")
  const at = advice === -1 ? text.length : advice
  return `${text.slice(0, at)}, after ${attempts} attempts${text.slice(at)}`
}

export const withoutAttempts = (text: string): string =>
  text.replace(/, after \d+ attempts(?=; |$)/, "")

/** The text without the endpoint, the subject, the address and the number of attempts. */
export const reasonOf = (error: string): string =>
  withoutAttempts(error)
    .replace(/^[a-z0-9_]+(?: for [^:]+)?: /, "")
    .replace(/^not sent: every request has failed since \S+ UTC: /, "")
    .replace(/, from https?:\S+/, "")

/** The same text for every request that fails in the same way, at any path. */
export const causeOf = (error: string): string => reasonOf(error).replaceAll(/https?:\S+/g, "…")
