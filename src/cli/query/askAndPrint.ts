// One question and its answer, as asked for on the command line.
import * as Effect from "effect/Effect"
import { type PublishedCopy, ReadError } from "../../pipelines/published.ts"
import { type Format, printAnswer } from "./formats.ts"

export interface Printing {
  readonly format: Format
  readonly maxRows: number
  readonly parameters: Readonly<Record<string, string>> | undefined
}

export const askAndPrint = Effect.fnUntraced(function* (
  copy: PublishedCopy,
  sql: string,
  printing: Printing,
) {
  const answer = yield* copy.ask(sql, printing.parameters)
  yield* Effect.tryPromise({
    try: () => printAnswer(answer, printing.format, printing.maxRows, process.stdout),
    catch: (cause) =>
      new ReadError({
        why: cause instanceof Error ? cause.message : String(cause),
        advice: "Part of the answer may have been printed.",
      }),
  })
})
