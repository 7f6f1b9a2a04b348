// From an archived response to the rows it makes, with today's schemas: what a replay is made of.
import { join } from "node:path"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { parseJson } from "../../domain/json.ts"
import type { Violation } from "../../domain/violation.ts"
import { decode } from "../../extract/answer.ts"
import { ArchiveReader } from "../../extract/archiveSegments.ts"
import { LoadError } from "../../load/errors.ts"
import type { MappedAnswer } from "../../transform/Source.ts"
import { pipelines } from "../catalog.ts"
import type { AnyPipeline } from "../Pipeline.ts"
import { withoutEmptySets } from "../run/suspicion.ts"

/** A row of raw.responses. */
export interface IndexedResponse {
  readonly responseId: string
  readonly runId: string
  readonly pipeline: string
  readonly entity: string
  readonly window: string
  /** Only what it says beside its sets landed. */
  readonly isDoubted: boolean
  readonly inputs: string
  readonly subject: string
  /** Microseconds since 1970 UTC. */
  readonly receivedAt: number
  readonly sha256: string
  readonly file: string
  readonly offset: number
  readonly length: number
}

/** Columns an `IndexedResponse` is read from. */
export const indexColumns = `response_id, run_id, pipeline, entity, "window",
  coalesce(is_doubted, false) as is_doubted, inputs::varchar as inputs,
  subject::varchar as subject, epoch_us(received_at)::double as received_at, body_sha256,
  archive_file, archive_offset, archive_length`

export const indexedResponse = (row: Readonly<Record<string, unknown>>): IndexedResponse => ({
  responseId: String(row["response_id"]),
  runId: String(row["run_id"]),
  pipeline: String(row["pipeline"]),
  entity: String(row["entity"]),
  window: String(row["window"]),
  isDoubted: row["is_doubted"] === true,
  inputs: String(row["inputs"]),
  subject: String(row["subject"]),
  receivedAt: Number(row["received_at"]),
  sha256: String(row["body_sha256"]),
  file: String(row["archive_file"]),
  offset: Number(row["archive_offset"]),
  length: Number(row["archive_length"]),
})

export const archiveDirectory = (dataDir: string): string => join(dataDir, "raw")

export const archiveError = (cause: unknown): LoadError =>
  new LoadError({
    reason: "Files",
    what: "Reading the response archive",
    why: (cause instanceof Error ? cause.message : String(cause)).replace(/\.$/, ""),
    advice: "Nothing was changed; `vaulthouse verify` lists everything that is damaged.",
    cause,
  })

/** Reads bodies one after the other; neighbours share a frame. */
export const archiveReader = (dataDir: string): ArchiveReader =>
  new ArchiveReader(archiveDirectory(dataDir))

export const pipelineOf = (name: string): AnyPipeline | undefined =>
  pipelines.find((pipeline) => pipeline.name === name)

/** The rows of an archived response, or why it makes none. */
export const rowsOfArchived = Effect.fnUntraced(function* (
  reader: ArchiveReader,
  response: IndexedResponse,
  timeFields: ReadonlyArray<string>,
) {
  const body = yield* Effect.tryPromise({
    try: () => reader.body(response, response.sha256),
    catch: archiveError,
  })
  return mapArchived(response, body, timeFields)
})

const mapArchived = (
  response: IndexedResponse,
  body: string,
  timeFields: ReadonlyArray<string>,
): Result.Result<MappedAnswer, Violation> => {
  const pipeline = pipelineOf(response.pipeline)
  if (pipeline === undefined) {
    return Result.fail({ path: "$", detail: `there is no pipeline ${response.pipeline} any more` })
  }
  const mapped = Result.flatMap(decode<unknown>(pipeline.endpoint, parseJson(body)), (value) =>
    pipeline.rows(value, {
      origin: { responseId: response.responseId, receivedAt: response.receivedAt },
      subject: JSON.parse(response.subject) as unknown,
      inputs: JSON.parse(response.inputs) as Readonly<Record<string, unknown>>,
      timeFields,
      window: response.window,
    }),
  )
  return response.isDoubted
    ? Result.map(mapped, ({ rows, drift }) => ({ rows: withoutEmptySets(rows), drift }))
    : mapped
}
