// What the lines of a segment say: a response with what was asked, or a closing, which tells what became of
// responses before it (docs/architecture.md).
import { createHash } from "node:crypto"
import type { Closing } from "../domain/closing.ts"
import type { Outcome } from "../domain/outcome.ts"
import type { AnsweredQuestion, Origin } from "../domain/response.ts"

/** Format of the lines written now; lines without one are of the first, when there were no closings. */
export const FORMAT = 2

/** The archive does not hold what its index says it does. */
export class ArchiveDamaged extends Error {
  constructor(file: string, detail: string) {
    super(`The response archive ${file} is damaged: ${detail}.`)
    this.name = "ArchiveDamaged"
  }
}

/** A response's line; `body` is absent where the archive had it already. */
export interface ArchivedLine extends AnsweredQuestion, Origin {
  /** From 2 on, a response of a task that no closing names was never landed. */
  readonly format: number
  readonly runId: string
  readonly pipeline: string | null
  readonly entity: string | null
  readonly sha256: string
  readonly body: string | undefined
  /** The line as it stands in the segment. */
  readonly text: string
  /** The same line for an archive that holds the body elsewhere. */
  readonly textWithoutBody: string
}

const textOrNull = (value: string | number | null | undefined): string | null =>
  value === null || value === undefined ? null : String(value)

const hash = (text: string): string => createHash("sha256").update(text).digest("hex")

/** What stands before the body: its hash, or in segments of the first version the time. */
const lastField = /,"(?:sha256":"([0-9a-f]{64})|receivedAt":"[^"]+)",/

/** The body stands in its line as it came, so it is cut out and not parsed: no digit changes. */
export const readLine = (file: string, line: string): ArchivedLine => {
  const found = lastField.exec(line)
  if (found === null) throw new ArchiveDamaged(file, "a line that is none of an archive")
  const start = found.index + found[0].length
  const head = JSON.parse(`${line.slice(0, start - 1)}}`) as Record<string, string | number | null>
  const rest = line.slice(start)
  const body = rest.startsWith('"body":')
    ? rest.slice('"body":'.length, -1)
    : rest.startsWith('"text":')
      ? (JSON.parse(rest.slice('"text":'.length, -1)) as string)
      : undefined
  const sha256 = found[1] ?? hash(body ?? "")
  if (body !== undefined && hash(body) !== sha256) {
    throw new ArchiveDamaged(file, `the body of response ${head["response_id"]} was changed`)
  }
  return {
    format: Number(head["format"] ?? 1),
    responseId: String(head["response_id"]),
    runId: String(head["run_id"]),
    pipeline: textOrNull(head["pipeline"]),
    entity: textOrNull(head["entity"]),
    endpoint: String(head["endpoint"]),
    method: String(head["method"]),
    url: String(head["url"]),
    requestBody: textOrNull(head["request_body"]),
    inputs: String(head["inputs"]),
    subject: String(head["subject"]),
    status: Number(head["status"]),
    receivedAt: Number(head["received_at"]),
    sha256,
    body,
    text: line,
    textWithoutBody: `${line.slice(0, start)}"is_elsewhere":true}`,
  }
}

const CLOSING = '{"closing":'

export const closingLine = ({ runId, landed, notLanded, ...about }: Closing): string =>
  JSON.stringify({ closing: { run_id: runId, ...about, landed, not_landed: notLanded } })

/** `undefined` where the line is a response's. Throws `ArchiveDamaged`. */
export const readClosing = (file: string, line: string): Closing | undefined => {
  if (!line.startsWith(CLOSING)) return undefined
  const { closing } = parsed(file, line)
  return {
    runId: String(closing["run_id"]),
    pipeline: String(closing["pipeline"]),
    entity: String(closing["entity"]),
    window: String(closing["window"]),
    outcome: closing["outcome"] as Outcome,
    landed: closing["landed"] as ReadonlyArray<string>,
    notLanded: closing["not_landed"] as ReadonlyArray<string>,
  }
}

const parsed = (file: string, line: string) => {
  try {
    return JSON.parse(line) as { readonly closing: Readonly<Record<string, unknown>> }
  } catch {
    throw new ArchiveDamaged(file, "a closing that can't be read")
  }
}
