// Whether a user can understand how a command ended.
import type { Ended } from "../cli/command.ts"

const documented: ReadonlySet<number | null> = new Set([0, 1, 2, 3, 4, 5])

/** SQL, C++ and what is said of a bug. */
const internals =
  /\b(SELECT|COPY|INSERT INTO|ATTACH) |\(\)|::|unexpected error|Stack trace|INTERNAL Error|std::/

/** What is not clear; a command that fails says why in one sentence and what to do in another, besides logs. */
export const unclearEnd = ({ code, stdout, stderr }: Ended): string | undefined => {
  const said = `${stderr}${stdout}`
  if (/^ {4}at /m.test(said)) return `a stack trace: ${said.slice(-1500)}`
  if (!documented.has(code)) return `exit code ${code}: ${said.slice(-600)}`
  if (code === 0) return undefined
  const paragraph = stderr.replaceAll(/^\{.*\n?/gm, "").trim()
  // What failed and why, and below it what to do.
  const isSentence = /^vaulthouse: \w[^\n]*(\n[^\n]+){0,3}$/.test(paragraph)
  // What a sync left out, and why, stands in what it prints.
  const isListed = code === 3 && paragraph === "" && /could not be read/.test(stdout)
  return (isSentence && !internals.test(paragraph)) || isListed
    ? undefined
    : `exit code ${code}, without one clear sentence: ${said.trim().slice(-600)}`
}
