// Writes and reads the lines of a segment: a response with its request, a commit marker, or the end of a run
// (docs/decisions/0011-commit-markers.md). Bodies are kept byte for byte.
import { isUtf8 } from "node:buffer"
import { hash } from "node:crypto"
import type { Outcome } from "../domain/run/outcome.ts"
import type { ExchangeRecord, Lineage } from "../domain/wire/response.ts"
import { causeMessage } from "../domain/values/causeMessage.ts"
import { isJsonObject } from "../domain/values/json.ts"

const FORMAT = 1

/** The archive's content is not as it was written. */
export class ArchiveDamaged extends Error {
  readonly file: string
  /** What is damaged, without a full stop. */
  readonly detail: string

  constructor(file: string, detail: string) {
    super(`The response archive ${file} is damaged: ${detail}.`)
    this.name = "ArchiveDamaged"
    this.file = file
    this.detail = detail
  }
}

/** Says which responses of a task became rows; written before its commit. The last marker of a response counts. */
export interface CommitMarker {
  readonly runId: string
  readonly pipeline: string
  readonly entity: string
  readonly window: string
  readonly outcome: Outcome
  /** The ids of the responses that became rows. The pages of one marker are one set. */
  readonly landed: ReadonlyArray<string>
  /** The ids of the others: failures, repeated attempts, suspicious responses. */
  readonly notLanded: ReadonlyArray<string>
}

/** The last line of a run in its segment. */
export interface RunEnd {
  readonly runId: string
  /** The ids of responses with a marker whose commit never happened. */
  readonly uncommitted: ReadonlyArray<string>
}

/** The line of a response without its body. */
export interface ResponseHead extends ExchangeRecord, Lineage {
  readonly runId: string
  /** Null if the request was sent outside a task. */
  readonly pipeline: string | null
  readonly entity: string | null
  readonly sha256: string
}

export interface ResponseLine extends ResponseHead {
  /** Absent if the body is elsewhere in the archive. */
  readonly body: Buffer | undefined
  /** The line as it is in the segment, and the length of the part before the body. */
  readonly bytes: Buffer
  readonly headLength: number
}

export interface Lines {
  readonly responses: ReadonlyArray<ResponseLine>
  readonly markers: ReadonlyArray<CommitMarker>
  readonly ends: ReadonlyArray<RunEnd>
  /** Descriptions of the lines that can't be read. */
  readonly damages: ReadonlyArray<string>
}

export const noLines: Lines = { responses: [], markers: [], ends: [], damages: [] }

export const sha256Of = (body: Uint8Array): string => hash("sha256", body)

const line = (value: unknown): Buffer => Buffer.from(`${JSON.stringify(value)}\n`)

export const commitMarkerLine = ({ runId, landed, notLanded, ...about }: CommitMarker): Buffer =>
  line({ commit: { run_id: runId, ...about, landed, not_landed: notLanded } })

export const runEndLine = ({ runId, uncommitted }: RunEnd): Buffer =>
  line({ end: { run_id: runId, uncommitted } })

const headText = (head: ResponseHead): string =>
  JSON.stringify({
    format: FORMAT,
    response_id: head.responseId,
    run_id: head.runId,
    pipeline: head.pipeline,
    entity: head.entity,
    endpoint: head.endpoint,
    method: head.method,
    url: head.url,
    request_body: head.requestBody,
    inputs: head.inputs,
    subject: head.subject,
    status: head.status,
    received_at: head.receivedAt,
    // This must be the last field: readers find the body after it.
    sha256: head.sha256,
  }).slice(0, -1)

const ELSEWHERE = `,"is_elsewhere":true}\n`

// Far below the maximum length of a string, even when escaped.
const MAX_TEXT_BYTES = 64 * 1024 * 1024
const NEWLINE = 0x0a
// The first byte of one; JSON never begins with it.
const BYTE_ORDER_MARK = 0xef

/** `body` is absent if the archive already has it. JSON on one line is written unchanged. */
export const responseLine = (
  head: ResponseHead,
  body: Buffer | undefined,
  isJson: boolean,
): Buffer => {
  const start = headText(head)
  if (body === undefined) return Buffer.from(`${start}${ELSEWHERE}`)
  if (isJson && isUtf8(body) && body[0] !== BYTE_ORDER_MARK && !body.includes(NEWLINE)) {
    return Buffer.concat([Buffer.from(`${start},"body":`), body, Buffer.from("}\n")])
  }
  if (body.length <= MAX_TEXT_BYTES && isUtf8(body)) {
    return Buffer.from(`${start},"text":${JSON.stringify(body.toString())}}\n`)
  }
  return Buffer.concat([Buffer.from(`${start},"base64":"`), ...base64Of(body), Buffer.from(`"}\n`)])
}

// Base64 encodes three bytes as four characters, so chunks must be multiples of these.
const PLAIN_CHUNK = 3 * 1024 * 1024
const BASE64_CHUNK = 4 * 1024 * 1024

function* chunksOf(bytes: Buffer, size: number): Generator<Buffer> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}

const base64Of = (body: Buffer): ReadonlyArray<Buffer> =>
  [...chunksOf(body, PLAIN_CHUNK)].map((chunk) => Buffer.from(chunk.toString("base64")))

const fromBase64 = (text: Buffer): Buffer =>
  Buffer.concat(
    [...chunksOf(text, BASE64_CHUNK)].map((chunk) =>
      Buffer.from(chunk.toString("latin1"), "base64"),
    ),
  )

/** The line of a response whose body is elsewhere in the archive. */
export const withoutBody = ({ bytes, headLength }: ResponseLine): Buffer =>
  Buffer.concat([bytes.subarray(0, headLength), Buffer.from(ELSEWHERE)])

const HASH_FIELD = Buffer.from(`,"sha256":"`)
const HASH_LENGTH = 64

const bodyOf = (rest: Buffer): Buffer | undefined => {
  const after = (field: string): Buffer | undefined =>
    rest.subarray(0, field.length).toString("latin1") === field
      ? rest.subarray(field.length, -1)
      : undefined
  const inline = after(`,"body":`)
  if (inline !== undefined) return inline
  const text = after(`,"text":`)
  if (text !== undefined) return Buffer.from(JSON.parse(text.toString()) as string)
  const base64 = after(`,"base64":`)
  return base64 === undefined ? undefined : fromBase64(base64.subarray(1, -1))
}

const isText = (value: unknown): value is string => typeof value === "string"
const isTextOrNull = (value: unknown): boolean =>
  value === null || value === undefined || isText(value)
const isJsonText = (value: unknown, isWanted: (parsed: unknown) => boolean): boolean => {
  try {
    return isText(value) && isWanted(JSON.parse(value))
  } catch {
    return false
  }
}

interface WrittenHead {
  readonly response_id: string
  readonly run_id: string
  readonly pipeline?: string | null
  readonly entity?: string | null
  readonly endpoint: string
  readonly method: string
  readonly url: string
  readonly request_body?: string | null
  readonly inputs: string
  readonly subject: string
  readonly status: number
  readonly received_at: number
  readonly sha256: string
}

/** What each field of a response's line has to be: a line of somebody else's must not become a row. */
const headFields: Readonly<Record<keyof WrittenHead, (value: unknown) => boolean>> = {
  response_id: isText,
  run_id: isText,
  pipeline: isTextOrNull,
  entity: isTextOrNull,
  endpoint: isText,
  method: isText,
  url: isText,
  request_body: isTextOrNull,
  inputs: (value) => isJsonText(value, isJsonObject),
  subject: (value) => isJsonText(value, () => true),
  status: Number.isSafeInteger,
  received_at: Number.isSafeInteger,
  sha256: isText,
}

/** Reads the line of a response, without parsing the body. */
const readResponse = (file: string, bytes: Buffer): ResponseLine => {
  const found = bytes.indexOf(HASH_FIELD)
  if (found === -1) throw new ArchiveDamaged(file, "it contains a line of another format")
  const headLength = found + HASH_FIELD.length + HASH_LENGTH + 1
  const head = JSON.parse(`${bytes.subarray(0, headLength).toString()}}`) as WrittenHead
  for (const [field, isValid] of Object.entries(headFields)) {
    const value = head[field as keyof WrittenHead]
    if (!isValid(value)) throw new ArchiveDamaged(file, `a response has no valid ${field}`)
  }
  return {
    responseId: head.response_id,
    runId: head.run_id,
    pipeline: head.pipeline ?? null,
    entity: head.entity ?? null,
    endpoint: head.endpoint,
    method: head.method,
    url: head.url,
    requestBody: head.request_body ?? null,
    inputs: head.inputs,
    subject: head.subject,
    status: head.status,
    receivedAt: head.received_at,
    sha256: head.sha256,
    body: bodyOf(bytes.subarray(headLength)),
    bytes,
    headLength,
  }
}

/** The body of a line, if it has one. Throws `ArchiveDamaged` if its hash does not match. */
export const intactBody = (file: string, { body, sha256, responseId }: ResponseLine) => {
  if (body !== undefined && sha256Of(body) !== sha256) {
    throw new ArchiveDamaged(file, `the body of response ${responseId} was changed`)
  }
  return body
}

interface ParsedLine {
  readonly commit?: Omit<CommitMarker, "runId" | "notLanded"> & {
    readonly run_id: string
    readonly not_landed: ReadonlyArray<string>
  }
  readonly end?: { readonly run_id: string; readonly uncommitted: ReadonlyArray<string> }
}

const COMMIT = `{"commit":`
const END = `{"end":`

const startsWith = (bytes: Buffer, text: string): boolean =>
  bytes.subarray(0, text.length).toString("latin1") === text

const isTexts = (value: unknown): boolean => Array.isArray(value) && value.every(isText)
const isMarker = (commit: NonNullable<ParsedLine["commit"]>): boolean =>
  [commit.run_id, commit.pipeline, commit.entity, commit.window, commit.outcome].every(isText) &&
  [commit.landed, commit.not_landed].every(isTexts)

const oddMarker = (file: string): ArchiveDamaged =>
  new ArchiveDamaged(file, "it contains a commit marker or an end of another format")

/** Reads every line of a frame's content. */
export const readLines = (file: string, content: Buffer): Lines => {
  const responses: Array<ResponseLine> = []
  const markers: Array<CommitMarker> = []
  const ends: Array<RunEnd> = []
  const damages: Array<string> = []
  for (let at = 0; at < content.length;) {
    const newline = content.indexOf(NEWLINE, at)
    const end = newline === -1 ? content.length : newline
    const bytes = content.subarray(at, end)
    at = end + 1
    try {
      if (startsWith(bytes, COMMIT) || startsWith(bytes, END)) {
        const { commit, end: runEnd } = JSON.parse(bytes.toString()) as ParsedLine
        if ((commit === undefined) === (runEnd === undefined)) throw oddMarker(file)
        if (commit !== undefined) {
          if (!isMarker(commit)) throw oddMarker(file)
          const { run_id: runId, not_landed: notLanded, ...about } = commit
          markers.push({ ...about, runId, notLanded })
        }
        if (runEnd !== undefined) {
          if (!isText(runEnd.run_id) || !isTexts(runEnd.uncommitted)) throw oddMarker(file)
          ends.push({ runId: runEnd.run_id, uncommitted: runEnd.uncommitted })
        }
      } else responses.push(readResponse(file, bytes))
    } catch (cause) {
      damages.push(cause instanceof ArchiveDamaged ? cause.detail : causeMessage(cause))
    }
  }
  return { responses, markers, ends, damages }
}
