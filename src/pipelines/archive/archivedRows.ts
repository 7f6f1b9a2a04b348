// Maps an archived response to its rows, with the schemas of this version.
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { ArchiveReader } from "../../archive/segments.ts"
import { parseBody } from "../../domain/values/json.ts"
import type { Violation } from "../../domain/wire/violation.ts"
import { decode } from "../../extract/decode.ts"
import type { FieldNames, MappedResponse } from "../../transform/Source.ts"
import { pipelines } from "../pipelines.ts"
import type { AnyPipeline } from "../model/Pipeline.ts"
import { inArchive } from "../publication/archiveOf.ts"
import { withoutEmptySets } from "../run/task/outcome.ts"
import { mapResponse } from "../strategies/mapResponse.ts"
import type { IndexedResponse } from "../../load/state/archiveIndex.ts"

export const pipelineOf = (name: string): AnyPipeline | undefined =>
  pipelines.find((pipeline) => pipeline.name === name)

/** The rows of an archived response, or why it has none; fails if the archive can't be read. */
export const rowsOfArchived = Effect.fnUntraced(function* (
  reader: ArchiveReader,
  response: IndexedResponse,
  names: FieldNames,
) {
  const body = yield* inArchive(() => reader.body(response, response.sha256))
  return yield* Effect.try({
    try: () => mapArchived(response, body, names),
    // A body that makes the mapping throw must not end the replay.
    catch: (cause): Violation => ({ path: "$", detail: String(cause) }),
  }).pipe(Effect.catch((violation) => Effect.succeed(Result.fail(violation))))
})

const mapArchived = (
  response: IndexedResponse,
  body: Buffer,
  names: FieldNames,
): Result.Result<MappedResponse, Violation> => {
  const pipeline = pipelineOf(response.pipeline)
  if (pipeline === undefined) {
    return Result.fail({ path: "$", detail: `there is no pipeline ${response.pipeline} any more` })
  }
  const parsed = parseBody(body)
  const mapped = Result.flatMap(decode<unknown>(pipeline.endpoint, parsed), (value) =>
    mapResponse<unknown, unknown>((decoded, source) => pipeline.rows(decoded, source), value, {
      lineage: { responseId: response.responseId, receivedAt: response.receivedAt },
      subject: JSON.parse(response.subject) as unknown,
      inputs: JSON.parse(response.inputs) as Readonly<Record<string, unknown>>,
      timeFields: names.timeFields,
      ...(names.fields === undefined ? {} : { fields: names.fields }),
      ...(names.contracts === undefined ? {} : { contracts: names.contracts }),
      window: response.window,
    }),
  )
  return response.isSuspicious
    ? Result.map(mapped, (found) => ({ ...found, rows: withoutEmptySets(found.rows) }))
    : mapped
}
