// Asks a person to type a word before something is done that can't be undone.
import { once } from "node:events"
import { createInterface } from "node:readline"
import type { Readable, Writable } from "node:stream"

/** Whether the word was typed; anything else, and an end of input, is a no. */
export const confirmed = async (
  word: string,
  prompt: string,
  input: Readable,
  output: Writable,
): Promise<boolean> => {
  const lines = createInterface({ input, output })
  try {
    output.write(prompt)
    const line = await Promise.race([
      once(lines, "line").then(([typed]) => String(typed)),
      once(lines, "close").then(() => ""),
    ])
    return line.trim() === word
  } finally {
    lines.close()
  }
}
