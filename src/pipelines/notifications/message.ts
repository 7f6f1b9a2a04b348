// One message as JSON that Slack (`text`), Discord (`content`) and plain receivers (`message`, `problems`) read alike.
// Texts of the service can't ping anyone or break the formatting.
import type { Problem } from "../../domain/run/problem.ts"
import type { ProblemChanges } from "./problemChanges.ts"

export type Event = "problem" | "resolved" | "reminder" | "test"

export interface StatedProblem extends Problem {
  readonly state: "new" | "open" | "resolved"
}

export interface Message {
  readonly event: Event
  /** One line. */
  readonly title: string
  /** All of it as plain text. */
  readonly message: string
  /** The same for Slack, and for others that use its format. */
  readonly text: string
  /** The same for Discord. */
  readonly content: string
  readonly allowed_mentions: { readonly parse: readonly [] }
  readonly problems: ReadonlyArray<StatedProblem>
  /** Number of problems that are not resolved. */
  readonly open_problems: number
  readonly host: string
  readonly data_dir: string
  readonly sent_at: string
}

/** Where a message comes from. */
export interface Sender {
  readonly host: string
  readonly dataDir: string
  /** Milliseconds since 1970. */
  readonly now: number
}

const MAX_PROBLEMS = 100
const MAX_LINES = 10
const MAX_LINE = 300
const MAX_SUBJECT = 300
const MAX_DATA_DIR = 300
// Discord refuses a message of more than 2,000 characters.
const MAX_TEXT = 2000

export const messageOf = (changes: ProblemChanges, sender: Sender): Message => {
  const { begun, resolved, repeated, open } = changes
  const event = begun.length > 0 ? "problem" : resolved.length > 0 ? "resolved" : "reminder"
  const shown = { problem: begun, resolved, reminder: repeated }[event]
  const lead = { problem: "", resolved: "resolved: ", reminder: "still: " }[event]
  const parts = [
    part("New:", begun, true),
    part("Resolved:", resolved, false),
    part("Still there:", repeated, true),
  ]
  const problems = [
    ...begun.map((problem) => stated(problem, "new")),
    ...repeated.map((problem) => stated(problem, "open")),
    ...resolved.map((problem) => stated(problem, "resolved")),
  ]
  return compose(
    event,
    `${lead}${kindsOf(shown)}`,
    parts.filter((text) => text !== ""),
    sender,
    {
      problems: problems.slice(0, MAX_PROBLEMS),
      open_problems: open,
    },
  )
}

export const testMessage = (sender: Sender): Message =>
  compose("test", "test message", ["Notifications arrive here."], sender, {
    problems: [],
    open_problems: 0,
  })

const compose = (
  event: Event,
  subject: string,
  parts: ReadonlyArray<string>,
  { host, dataDir, now }: Sender,
  { problems, open_problems }: Pick<Message, "problems" | "open_problems">,
): Message => {
  const title = `vaulthouse on ${host}: ${cut(subject, MAX_SUBJECT)}`
  const place = `${cutLeft(dataDir, MAX_DATA_DIR)} on ${host}, ${instant(now)} UTC`
  const around = (text: string): string => `${text}\n\n${place}`
  const message = around(cutToFit(parts.join("\n\n"), (text) => codeBlock(title, around(text))))
  const block = codeBlock(title, message)
  return {
    event,
    title,
    message,
    text: block.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;"),
    content: block,
    allowed_mentions: { parse: [] },
    problems,
    open_problems,
    host,
    data_dir: dataDir,
    sent_at: new Date(now).toISOString(),
  }
}

// Shows text as it is, except that Slack escapes three characters everywhere
// (https://docs.slack.dev/messaging/formatting-message-text). A zero-width space keeps the text from ending the block,
// and from pinging people where a receiver looks for names in blocks too.
const codeBlock = (title: string, text: string): string =>
  `${title}\n\`\`\`\n${text.replaceAll(/`(?=`)|@/g, "$&\u200B")}\n\`\`\``

/** Only the fields of a problem: a stored one has more. */
const stated = (
  { kind, subject, text, advice, since }: Problem,
  state: StatedProblem["state"],
): StatedProblem => ({ kind, subject, state, text, advice, since })

/** `run failed, stale (3)`. */
const kindsOf = (problems: ReadonlyArray<Problem>): string =>
  [...Map.groupBy(problems, ({ kind }) => kind)]
    .map(
      ([kind, ofKind]) =>
        `${kind.replaceAll("_", " ")}${ofKind.length > 1 ? ` (${ofKind.length})` : ""}`,
    )
    .join(", ")

const part = (heading: string, problems: ReadonlyArray<Problem>, withAdvice: boolean): string => {
  if (problems.length === 0) return ""
  const joined = joinedProblems(problems)
  const lines = joined
    .slice(0, MAX_LINES)
    .flatMap(({ text, advice }) => [
      `- ${cut(oneLine(text), MAX_LINE)}`,
      ...(withAdvice && advice !== "" ? [`  ${cut(oneLine(advice), MAX_LINE)}`] : []),
    ])
  const more = joined.length - MAX_LINES
  return [heading, ...lines, ...(more > 0 ? [`- and ${more} more`] : [])].join("\n")
}

// `ratio_history: 3 of 8 tasks failed: no response.`
const ofPipeline = /^(\w+): (?:[\d,]+ of )?([\d,]+) tasks? (\w+: [^]*)$/

const reasonOf = ({ text }: Problem): string => ofPipeline.exec(text)?.[3] ?? text

/** Problems of several pipelines with one reason as one, with the advice of the first. */
const joinedProblems = (
  problems: ReadonlyArray<Problem>,
): ReadonlyArray<Pick<Problem, "text" | "advice">> => {
  return [...Map.groupBy(problems, reasonOf)].map(([reason, [first, ...others]]) => ({
    text:
      first === undefined || others.length === 0
        ? (first?.text ?? reason)
        : `${namesOf([first, ...others])}: tasks ${reason}`,
    advice: first?.advice ?? "",
  }))
}

const MAX_NAMES = 4

const namesOf = (problems: ReadonlyArray<Problem>): string => {
  const names = problems.slice(0, MAX_NAMES).map(({ subject }) => subject)
  const more = problems.length - names.length
  return `${names.join(", ")}${more > 0 ? ` and ${more} more` : ""}`
}

// Control characters and those that change the direction of text.
const unprintable = /[\p{Cc}\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]+/gu

const oneLine = (text: string): string => text.replaceAll(unprintable, " ").trim()

const cut = (text: string, length: number): string =>
  text.length > length ? `${text.slice(0, length - 1).replace(/[\uD800-\uDBFF]$/, "")}…` : text

const cutLeft = (text: string, length: number): string =>
  text.length > length ? `…${text.slice(1 - length).replace(/^[\uDC00-\uDFFF]/, "")}` : text

/** The longest beginning whose block is no longer than a message may be: some characters take two places in it. */
const cutToFit = (text: string, blockOf: (text: string) => string): string => {
  const excess = blockOf(text).length - MAX_TEXT
  return excess > 0 ? cutToFit(cut(text, text.length - Math.ceil(excess / 2)), blockOf) : text
}

const instant = (millis: number): string =>
  new Date(millis).toISOString().slice(0, 19).replace("T", " ")
