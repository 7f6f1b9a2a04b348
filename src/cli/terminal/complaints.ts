// Errors and warnings on standard error: how they begin, wrap and look. Loaded by every `--help`.
import { paintComplaint, warningText } from "./color.ts"
import { printError } from "./output.ts"
import { paragraph, terminalWidth } from "./terminal.ts"

/** The sentence after the program's name. It begins in lower case, unless it begins with a name. */
export const complaintText = (sentence: string): string =>
  `vaulthouse: ${sentence.replace(/^(?!Parquet |Node )[A-Z](?=[a-z']* )/, (first) => first.toLowerCase())}`

/** Prints a complaint with its first word in colour. */
export const complain = (text: string, meaning: "bad" | "warning" = "bad"): void => {
  const painted = paintComplaint(paragraph(text, 0, terminalWidth("stderr")), meaning)
  printError(`${painted}\n`, meaning === "bad" ? "Error" : "Warn")
}

/** Prints a warning; the command goes on. */
export const warn = (text: string): void => printError(`${warningText(text)}\n`, "Warn")
