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

it.each(headings)("%s", (heading) => {
  const [, message = ""] = /^`([^`]+)`$/.exec(heading) ?? []
  expect(message).not.toBe("")
  expect(sources.some((source) => patternOf(message).test(source))).toBe(true)
})

it("a message that no code prints is found out", () => {
  const found = sources.some((source) => patternOf("the moon is in use by <process>").test(source))
  expect(found).toBe(false)
  expect(new Set(headings).size).toBe(headings.length)
  expect(headings.length).toBeGreaterThan(40)
})
