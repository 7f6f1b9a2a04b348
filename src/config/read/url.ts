// Reads the address of a service.
import * as Result from "effect/Result"
import { isWithSecret } from "../secrets/secretUrl.ts"
import { show } from "./show.ts"

/** Without slashes at its end, or what is wrong with it, which shows no secret. */
export const readUrl = (value: string): Result.Result<string, string> => {
  const text = value.trim()
  const parsed = URL.parse(text)
  if (parsed === null || !/^https?:$/.test(parsed.protocol)) {
    const guess = withScheme(text)
    const problem = /^https?:\/\//i.test(text)
      ? "the host or the port is wrong"
      : "it must begin with http:// or https://"
    return Result.fail(
      `${isWithSecret(text) ? "the value" : show(text)} is not a valid address: ${problem}${guess === undefined ? "" : `; did you mean ${guess}?`}`,
    )
  }
  // The message leaves out the text, which contains a secret.
  if (parsed.username !== "" || parsed.password !== "") {
    return Result.fail(
      "contains a user name or password; the API key belongs in VAULTHOUSE_API_KEY",
    )
  }
  if (parsed.search !== "" || parsed.hash !== "") {
    return Result.fail(
      `${show(parsed.origin + parsed.pathname)} must end before the \`?\` or \`#\``,
    )
  }
  return Result.succeed(text.replace(/\/+$/, ""))
}

/** The likely address of a host without a scheme; local hosts rarely have https. */
const withScheme = (text: string): string | undefined => {
  const host = /^([\w-]+(?:\.[\w-]+)*)(:\d+)?(\/[^\s?#@]*)?$/.exec(text)
  if (host === null) return undefined
  const [, name = "", port] = host
  const isOwn = name === "localhost" || name.startsWith("127.")
  if (!isOwn && port === undefined && !name.includes(".")) return undefined
  return `${isOwn ? "http" : "https"}://${text}`
}
