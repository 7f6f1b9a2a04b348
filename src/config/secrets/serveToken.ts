// The token of `vaulthouse serve` from the environment.
import * as Redacted from "effect/Redacted"

export const SERVE_TOKEN = "VAULTHOUSE_SERVE_TOKEN"

/** `undefined` if the variable is not set or empty. */
export const serveToken = (): Redacted.Redacted<string> | undefined => {
  const { [SERVE_TOKEN]: token = "" } = process.env
  return token.trim() === "" ? undefined : Redacted.make(token.trim(), { label: "serve token" })
}
