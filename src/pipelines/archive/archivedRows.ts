// From an archived response to its rows, with today's schemas.
import { rm } from "node:fs/promises"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { ArchiveReader } from "../../archive/segments.ts"
import { parseJson } from "../../domain/json.ts"
import type { Violation } from "../../domain/violation.ts"
import { decode } from "../../extract/decode.ts"
import { LoadError } from "../../load/errors.ts"
import type { FieldNames, MappedResponse } from "../../transform/Source.ts"
import { pipelines } from "../catalog.ts"
import type { AnyPipeline } from "../model/Pipeline.ts"
import { withoutEmptySets } from "../run/outcome.ts"
import { mapResponse } from "../strategies/mapResponse.ts"
import type { IndexedResponse } from "./archiveIndex.ts"

export const archiveError = (cause: unknown): LoadError =>
  new LoadError({
    reason: "Files",
    what: "Reading the response archive",
    why: (cause instanceof Error ? cause.message : String(cause)).replace(/\.$/, ""),
    advice: "Nothing was changed; `vaulthouse verify` lists everything that is damaged.",
    cause,
  })

export const removeSegments = (directory: string, files: ReadonlyArray<string>) =>
  Effect.forEach(
    files,
    (file) => Effect.tryPromise({ try: () => rm(join(directory, file)), catch: archiveError }),
    { discard: true },
  )

export const pipelineOf = (name: string): AnyPipeline | undefined =>
  pipelines.find((pipeline) => pipeline.name === name)

/** The rows of an archived response, or why it makes none; fails where the archive can't be read. */
export const rowsOfArchived = Effect.fnUntraced(function* (
  reader: ArchiveReader,
  response: IndexedResponse,
  names: FieldNames,
) {
  const body = yield* Effect.tryPromise({
    try: () => reader.text(response, response.sha256),
    catch: archiveError,
  })
  return yield* Effect.try({
    try: () => mapArchived(response, body, names),
    // No body may end a replay, whatever it makes the code below do.
    catch: (cause): Violation => ({ path: "$", detail: String(cause) }),
  }).pipe(Effect.catch((violation) => Effect.succeed(Result.fail(violation))))
})

const mapArchived = (
  response: IndexedResponse,
  body: string,
  names: FieldNames,
): Result.Result<MappedResponse, Violation> => {
  const pipeline = pipelineOf(response.pipeline)
  if (pipeline === undefined) {
    return Result.fail({ path: "$", detail: `there is no pipeline ${response.pipeline} any more` })
  }
  const parsed = parseJson(body)
  const mapped = Result.flatMap(decode<unknown>(pipeline.endpoint, parsed), (value) =>
    mapResponse<unknown, unknown>((answer, source) => pipeline.rows(answer, source), value, {
      lineage: { responseId: response.responseId, receivedAt: response.receivedAt },
      subject: JSON.parse(response.subject) as unknown,
      inputs: JSON.parse(response.inputs) as Readonly<Record<string, unknown>>,
      timeFields: names.timeFields,
      ...(names.fields === undefined ? {} : { fields: names.fields }),
      window: response.window,
    }),
  )
  return response.isSuspicious
    ? Result.map(mapped, (answer) => ({ ...answer, rows: withoutEmptySets(answer.rows) }))
    : mapped
}
