// One question and its answer, as asked for on the command line.
import type { Writable } from "node:stream"
import * as Effect from "effect/Effect"
import {
  type PublishedCopy,
  type QueryParameters,
  ReadError,
} from "../../pipelines/readers/published.ts"
import { terminalWidth } from "../terminal.ts"
import { type Format, printAnswer } from "./formats.ts"

export interface Printing {
  readonly format: Format
  readonly maxRows: number
  readonly parameters: QueryParameters
  /** A table too wide for the terminal is turned on its side: where nobody chose a table. */
  readonly turns?: boolean
}

export const askAndPrint = Effect.fnUntraced(function* (
  copy: PublishedCopy,
  sql: string,
  printing: Printing,
  out: Writable,
) {
  const answer = yield* copy.ask(sql, printing.parameters)
  yield* Effect.tryPromise({
    try: () =>
      printAnswer(
        answer,
        printing.format,
        printing.maxRows,
        out,
        printing.turns === true ? terminalWidth() : Infinity,
      ),
    catch: (cause) =>
      new ReadError({
        why: cause instanceof Error ? cause.message : String(cause),
        advice: "Part of the answer may have been printed.",
      }),
  })
})
