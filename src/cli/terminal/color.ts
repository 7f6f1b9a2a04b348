// Colours on a terminal: when they are used, what they mean, and which words get one. They only repeat what the words
// say.
import { type Sink, type StreamName, streams, styled } from "./output.ts"

const styles = {
  good: "green",
  warning: "yellow",
  bad: "red",
  aside: "dim",
  heading: "bold",
} as const

export type Meaning = keyof typeof styles

/** The setting decides (NO_COLOR and FORCE_COLOR are among its sources); without it, whether a terminal has colours. */
export const isColored = (
  setting: boolean | undefined,
  output: Pick<Sink, "isTTY" | "hasColors">,
): boolean => setting ?? (output.isTTY === true && output.hasColors?.() === true)

// No colours until a command decides: code that writes the same texts to files never does.
const colored: Record<StreamName, boolean> = { stdout: false, stderr: false }

/** Each command calls this once, as soon as its settings are known. */
export const decideColors = (setting: boolean | undefined): void => {
  const { stdout, stderr } = streams()
  colored.stdout = isColored(setting, stdout)
  colored.stderr = isColored(setting, stderr)
}

/** Colours whole lines of a text that is already laid out, since widths are counted without colours. */
export const paint = (text: string, meaning: Meaning, stream: StreamName = "stdout"): string =>
  colored[stream] ? styled(text, styles[meaning]) : text

/** Colours the first match of the pattern. */
export const paintPart = (
  text: string,
  part: RegExp,
  meaning: Meaning,
  stream: StreamName = "stdout",
): string => text.replace(part, (found) => paint(found, meaning, stream))

/** Colours the program's name, with which a complaint on standard error begins. */
export const paintComplaint = (text: string, meaning: Meaning = "bad"): string =>
  paintPart(text, /^[a-z]+:/, meaning, "stderr")

/** Outcomes of tasks, runs and checks, and the states that `doctor` and `swap` show. */
const meanings: Readonly<Record<string, Meaning>> = {
  complete: "good",
  loaded: "good",
  passed: "good",
  ok: "good",
  allowed: "good",
  confirmed: "good",
  partial: "warning",
  deferred: "warning",
  warning: "warning",
  warned: "warning",
  "suspicious empty": "warning",
  // The first line of the one above in a narrow column.
  suspicious: "warning",
  "not ended": "warning",
  stopped: "warning",
  killed: "warning",
  unclear: "warning",
  unknown: "warning",
  "key unknown": "bad",
  failed: "bad",
  quarantined: "bad",
  refused: "bad",
  skipped: "aside",
  unsupported: "aside",
  forbidden: "aside",
  "not applicable": "aside",
  "not checked": "aside",
  "not configured": "aside",
}

// The longest first, so that a short word does not hide a longer one that begins with it.
const words = Object.keys(meanings)
  .toSorted((one, other) => other.length - one.length)
  .join("|")
  .replaceAll(" ", "[ _]")
const outcome = new RegExp(`(?:\\b([\\d,]+) )?\\b(${words})\\b`, "g")

/** Colours every outcome in a text with its count; a count of 0 stays plain. */
export const paintOutcomes = (text: string, stream: StreamName = "stdout"): string =>
  text.replaceAll(outcome, (found: string, count: string | undefined, word: string) => {
    const meaning = meanings[word.replaceAll("_", " ")]
    return count === "0" || meaning === undefined ? found : paint(found, meaning, stream)
  })

/** Colours only the outcome in a line of progress, after the pipeline; the rest may be the service's text. */
export const paintProgress = (line: string): string =>
  line.replace(/(?<=^\w+: )\w+(?=:)/, (word) => paintOutcomes(word, "stderr"))

/** The text of a warning on standard error. */
export const warningText = (text: string): string =>
  `${paint("warning:", "warning", "stderr")} ${text}`

const levels: Readonly<Record<string, Meaning>> = {
  FATAL: "bad",
  ERROR: "bad",
  WARN: "warning",
  INFO: "good",
}

/** Colours the level in a line of the log (logfmt). */
export const paintLevel = (line: string): string =>
  line.replace(/(?<=\blevel=)\w+/, (level) => paint(level, levels[level] ?? "aside", "stderr"))
