// Addresses with a secret in them: written as they are, or as `${NAME}`, which takes the whole address from an environment
// variable. No message shows more of one than its variable or its origin.
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import { expected } from "./kinds.ts"

const variable = /^\$\{(\w+)\}$/

/** The label is what may be shown. A variable is looked up when the address is used: most commands don't need it. */
export const readSecretUrl = (text: string): Result.Result<Redacted.Redacted<string>, string> =>
  variable.test(text)
    ? Result.succeed(Redacted.make(text, { label: text }))
    : Result.map(parse(text), ({ origin }) => Redacted.make(text, { label: origin }))

/** The address, or why its variable holds none. */
export const addressOf = (secret: Redacted.Redacted<string>): Result.Result<URL, string> => {
  const text = Redacted.value(secret)
  const [, name] = variable.exec(text) ?? []
  if (name === undefined) return parse(text)
  const value = process.env[name]?.trim() ?? ""
  return value === ""
    ? Result.fail(`the environment variable ${name} is not set`)
    : Result.mapError(parse(value), (problem) => `the environment variable ${name} ${problem}`)
}

const parse = (text: string): Result.Result<URL, string> => {
  const url = URL.parse(text)
  if (url === null || !/^https?:$/.test(url.protocol)) {
    return Result.fail(`is not ${expected({ type: "secretUrl" })}`)
  }
  return url.username === "" && url.password === ""
    ? Result.succeed(url)
    : Result.fail("contains a user name or password, which would not be sent")
}
