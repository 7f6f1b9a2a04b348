// Answers a completion script: one offer a line, as its shell wants them.
import type { Command } from "../Command.ts"
import { type ExitCode, exitCodes } from "../exit.ts"
import type { Offer } from "./offers.ts"

/** The first argument of such a question, of yargs' scripts; the shell and the words typed follow. */
export const REQUEST = "--get-yargs-completions"

export const answerCompletion = async (
  commands: ReadonlyArray<Command>,
  [shell = "bash", ...words]: ReadonlyArray<string>,
): Promise<ExitCode> => {
  const { offers } = await import("./offers.ts")
  const found = await offers(commands, words)
  process.stdout.write(found.map((offer) => `${lineOf(shell, offer)}\n`).join(""))
  return exitCodes.ok
}

/** zsh shows what follows a colon beside the word. */
const lineOf = (shell: string, { word, about }: Offer): string =>
  shell === "zsh" && about !== ""
    ? `${word.replaceAll(":", "\\:")}:${about.replaceAll(/\s+/g, " ")}`
    : word
