// Validates paths in settings. None may lead to another origin or out of the base path, because the API key is sent
// with the request.

/** Why the text can't be a segment of a path, or `undefined` if it can. */
export const segmentProblem = (text: string): string | undefined => {
  if (/^[\w.~-]+$/.test(text) && !/^\.\.?$/.test(text)) return undefined
  return "is not one segment of a path: letters, digits, `-`, `_`, `.` and `~` only"
}

/** Why the text can't be a path with parameters such as `{address}`, or `undefined` if it can. */
export const pathProblem = (text: string): string | undefined => {
  if (!text.startsWith("/")) return "does not begin with `/`"
  if (text.startsWith("//")) return "begins with `//`, which leads to another host"
  if (/[?#]/.test(text)) return "must end before the `?` or `#`"
  if (text.split("/").some((segment) => /^(\.|%2e){1,2}$/i.test(segment))) {
    return "contains `.` or `..` as a segment"
  }
  // The other characters that a URL allows in a path (RFC 3986), and the braces of a parameter.
  return /^[\w/{}.~!$&'()*+,;=:@%-]+$/.test(text)
    ? undefined
    : "contains characters that a path can't have"
}
