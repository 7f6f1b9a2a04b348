// Asks for a typed word before something that can't be undone.
import { once } from "node:events"
import { createInterface } from "node:readline"
import type { Readable, Writable } from "node:stream"

/** Whether the word was typed; anything else, or the end of input, means no. */
export const confirmed = async (
  word: string,
  prompt: string,
  input: Readable,
  output: Writable,
  signal?: AbortSignal,
): Promise<boolean> => {
  // The terminal edits the line itself, so that Ctrl-C stays the signal it is everywhere.
  const lines = createInterface({ input, output, terminal: false })
  const options = signal === undefined ? {} : { signal }
  try {
    output.write(prompt)
    const line = await Promise.race([
      once(lines, "line", options).then(([typed]) => String(typed)),
      once(lines, "close", options).then(() => ""),
    ])
    return line.trim() === word
  } finally {
    lines.close()
  }
}
