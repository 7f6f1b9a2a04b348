// docs/troubleshooting.md is found by the message on the screen: each of its messages is one that the code prints.
import { globSync, readFileSync } from "node:fs"
import { expect, it } from "vitest"

const page = readFileSync("docs/troubleshooting.md", "utf8")
const headings = [...page.matchAll(/^### (.*)$/gm)].map(([, heading = ""]) => heading)

/** What a template inserts becomes a mark, and concatenated strings one, so that a message is in one piece. */
const withoutInsertions = (code: string): string => {
  const shorter = code
    .replaceAll("\\`", "`")
    .replaceAll(/["`] \+\s+["`]/g, "")
    .replaceAll(/\$\{[^{}]*\}/g, "<…>")
  return shorter === code ? code : withoutInsertions(shorter)
}

const withoutComments = (code: string): string => code.replaceAll(/\/\*[^]*?\*\/|^\s*\/\/.*$/gm, "")

const sources = globSync(["src/**/*.ts", "bin/*"]).map((file) =>
  withoutInsertions(withoutComments(readFileSync(file, "utf8"))),
)

/** The literal parts of a message, in their order and close to each other. */
const patternOf = (message: string): RegExp =>
  new RegExp(
    message
      .split(/<[^>]*>/)
      .map((part) => part.trim())
      .filter((part) => part !== "")
      .map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&"))
      .join("[^]{0,120}?"),
  )

const isPrinted = (message: string): boolean =>
  sources.some((source) => patternOf(message).test(source))

it("each message is one that the code prints, and is there once", () => {
  const messages = headings.map((heading) => /^`([^`]+)`$/.exec(heading)?.[1] ?? "")
  expect(messages.filter((message) => message === "" || !isPrinted(message))).toEqual([])
  expect(new Set(headings).size).toBe(headings.length)
})

it("a message that no code prints is found out", () => {
  expect(isPrinted("the moon is in use by <process>")).toBe(false)
  expect(isPrinted("The warehouse is in use by <process>")).toBe(true)
})
