// status on one screen, 24 lines of 80 columns: health, the last run, freshness, and as many problems as fit.
import type { Freshness } from "../../../pipelines/readers/problems/freshness.ts"
import type { Problem } from "../../../domain/run/problem.ts"
import type { Status } from "../../../pipelines/readers/status.ts"
import { paint } from "../../terminal/color.ts"
import { counted } from "../../../domain/values/numbers.ts"
import { streams } from "../../terminal/output.ts"
import { firstLines, wrapped } from "../../terminal/terminal.ts"
import {
  freshnessTable,
  healthLine,
  lastRunLine,
  type Place,
  publishedLine,
  screenWidth,
  swapsLine,
} from "./parts.ts"

/** One line of the screen is for the next prompt. */
const screenHeight = (): number => Math.max(24, streams().stdout.rows ?? 24) - 1

const MAX_LAST_RUN = 3

export const screenText = (status: Status, place: Place): string => {
  const top = [
    healthLine(status),
    firstLines(linesOf(lastRunLine(status, place)), MAX_LAST_RUN, screenWidth()).join("\n"),
    publishedLine(status, place),
    ...swapsLine(status),
    ...freshnessText(status.freshness, status.problems.length === 0 ? 8 : 5),
  ].flatMap(linesOf)
  return [...top, ...attention(status.problems, screenHeight() - top.length), ""].join("\n")
}

const linesOf = (text: string): ReadonlyArray<string> => text.split("\n")

const isSeries = ({ subject, pipeline }: Freshness): boolean => subject !== pipeline

const mostUrgent = (a: Freshness, b: Freshness): number =>
  Number(b.stale > 0) - Number(a.stale > 0) || a.target_hours - b.target_hours

/** The series, and the stale pipelines without a series. If not all fit, the most urgent. */
const freshnessText = (freshness: ReadonlyArray<Freshness>, max: number): ReadonlyArray<string> => {
  if (freshness.length === 0) return []
  const wanted = freshness.filter((each) => isSeries(each) || each.stale > 0)
  const shown = wanted.length <= max ? wanted : wanted.toSorted(mostUrgent).slice(0, max)
  const more = freshness.length - shown.length
  const stale = wanted.filter((each) => !shown.includes(each) && each.stale > 0).length
  const others = `and ${counted(more, "other")}, ${stale === 0 ? "none" : String(stale)} stale (\`status --all\` shows all)`
  return [
    "",
    ...(shown.length === 0 ? [] : [freshnessTable(shown)]),
    ...(more === 0 ? [] : [paint(others, "aside")]),
  ]
}

const MAX_TEXT = 2

/** Problems with the same advice share it; those that do not fit into `height` lines are counted. */
const attention = (problems: ReadonlyArray<Problem>, height: number): ReadonlyArray<string> => {
  if (problems.length === 0) return []
  const groups = [...Map.groupBy(problems, ({ advice }) => advice)]
  const lines = ["", paint("Needs attention:", "warning")]
  let left = problems.length
  for (const [at, [advice, group]] of groups.entries()) {
    const room = height - lines.length - (at < groups.length - 1 ? 1 : 0)
    const block = blockOf(advice, group, room)
    if (block === undefined) break
    lines.push(...block.lines)
    left -= block.shown
    if (block.shown < group.length) break
  }
  return left === 0
    ? lines
    : [...lines, `  … and ${left} more; \`vaulthouse status --all\` lists them`]
}

/** As many problems as fit, with their advice; `undefined` if none fits. One line is kept for the count of the rest. */
const blockOf = (advice: string, group: ReadonlyArray<Problem>, room: number) => {
  const end = paintedAdvice(advice)
  const lines: Array<string> = []
  let shown = 0
  for (const { text } of group) {
    const next = shortened(text)
    const isLast = shown === group.length - 1
    if (lines.length + next.length + end.length + (isLast ? 0 : 1) > room) break
    lines.push(...next)
    shown += 1
  }
  return shown === 0 ? undefined : { lines: [...lines, ...end], shown }
}

const indented = (text: string, indent: number): ReadonlyArray<string> =>
  wrapped(text, screenWidth() - indent).map((line) => " ".repeat(indent) + line)

const paintedAdvice = (advice: string): ReadonlyArray<string> =>
  indented(advice, 6).map((line) => paint(line, "aside"))

const shortened = (text: string): ReadonlyArray<string> => {
  const [first = "", ...rest] = indented(text, 2)
  const following = rest.map((line) => `  ${line}`)
  return firstLines([first, ...following], MAX_TEXT, screenWidth())
}
