// Standard input as messages, a line each. What is no message is answered here: the protocol's own reader discards the messages
// that arrive with it, and answers none of them.
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import * as Stdio from "effect/Stdio"
import * as Stream from "effect/Stream"

/** Errors of JSON-RPC 2.0, §5.1. */
const NOT_JSON = { code: -32_700, message: "Parse error: the line is not JSON" }
const NOT_A_REQUEST = { code: -32_600, message: "Invalid request: the line is not an object" }

/** What is wrong with a line; `undefined` for a message. */
const errorIn = (line: string): typeof NOT_JSON | undefined => {
  const read = Result.try((): unknown => JSON.parse(line))
  if (Result.isFailure(read)) return NOT_JSON
  const isObject = typeof read.success === "object" && read.success !== null
  return isObject && !Array.isArray(read.success) ? undefined : NOT_A_REQUEST
}

/** Passes messages on, each as a chunk of its own, and refuses other lines on standard output. */
export const messagesOnly = Layer.effect(
  Stdio.Stdio,
  Effect.map(Stdio.Stdio, (stdio) => {
    const refuse = (error: typeof NOT_JSON) =>
      Stream.run(
        Stream.make(`${JSON.stringify({ jsonrpc: "2.0", id: null, error })}\n`),
        stdio.stdout({ endOnDone: false }),
      )
    const isMessage = (line: string) => {
      const error = errorIn(line)
      return error === undefined ? Effect.succeed(true) : Effect.as(refuse(error), false)
    }
    return Stdio.make({
      ...stdio,
      stdin: stdio.stdin.pipe(
        Stream.decodeText,
        Stream.splitLines,
        Stream.filter((line) => line.trim() !== ""),
        Stream.filterEffect(isMessage),
        Stream.map((line) => `${line}\n`),
        Stream.encodeText,
      ),
    })
  }),
)
