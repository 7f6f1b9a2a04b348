// Questions on the terminal, each answered with one line.
import { createInterface } from "node:readline"
import type { Readable, Writable } from "node:stream"

export interface Prompts {
  /** The line without the spaces around it; `undefined` once the input has ended. */
  readonly ask: (question: string) => Promise<string | undefined>
  readonly close: () => void
}

/** Opened once for all questions of a command, because lines typed or pasted ahead wait in it. */
export const openPrompts = (input: Readable, output: Writable, signal?: AbortSignal): Prompts => {
  // The terminal edits the line itself, so that Ctrl-C still sends its signal.
  const reader = createInterface({ input, terminal: false })
  const lines = reader[Symbol.asyncIterator]()
  const close = (): void => reader.close()
  signal?.addEventListener("abort", close)
  return {
    ask: async (question) => {
      output.write(question)
      const next = await lines.next()
      return next.done === true ? undefined : next.value.trim()
    },
    close,
  }
}

/** Whether the word was typed; anything else, or the end of input, means no. */
export const confirmed = async (
  word: string,
  question: string,
  input: Readable,
  output: Writable,
  signal?: AbortSignal,
): Promise<boolean> => {
  const prompts = openPrompts(input, output, signal)
  try {
    return (await prompts.ask(question)) === word
  } finally {
    prompts.close()
  }
}
