// Reads one page: sends the request and maps its response.
import * as Effect from "effect/Effect"
import type * as Result from "effect/Result"
import { ApiError } from "../../domain/wire/errors.ts"
import type { ArchivedResponse } from "../../domain/wire/response.ts"
import type { Rows, Table } from "../../domain/table/table.ts"
import type { Drift, Violation } from "../../domain/wire/violation.ts"
import { ApiClient } from "../../extract/ApiClient.ts"
import type { Endpoint, Inputs } from "../../extract/Endpoint.ts"
import type { Parameters } from "../../extract/Parameter.ts"
import type { MappedResponse, Source } from "../../transform/Source.ts"
import type { Partition, RunContext } from "../model/Pipeline.ts"
import type { Rejected } from "../model/TaskResult.ts"
import { mapResponse } from "./mapResponse.ts"

/** The part of a pipeline that `readPage` needs. */
export interface PageSource<P extends Parameters, A, S> {
  readonly endpoint: Endpoint<P, A>
  readonly tables: ReadonlyArray<Table>
  readonly rows: (response: A, source: Source<S>) => Result.Result<MappedResponse, Violation>
}

export interface Page<A> {
  readonly value: A
  readonly rows: ReadonlyArray<Rows>
  /** Event times of the rows of the pipeline's first table, microseconds since 1970 UTC; of a day, its start. */
  readonly times: ReadonlyArray<number>
  /** Records of that table, rejected ones included: shows whether the page is full. */
  readonly count: number
  readonly drift: ReadonlyArray<Drift>
  readonly rejected: ReadonlyArray<Rejected>
  readonly responses: ReadonlyArray<ArchivedResponse>
  /** Requests sent for it, failed attempts included. */
  readonly requests: number
}

/** `window`: of the task, if the mapping depends on it. Fails with `ArchiveError`, or with `ApiError`, also if the mapping finds a contract violation. */
export const readPage = Effect.fnUntraced(function* <P extends Parameters, A, S>(
  { endpoint, tables, rows }: PageSource<P, A, S>,
  { entity, subject }: Pick<Partition<S>, "entity" | "subject">,
  inputs: Inputs<P>,
  { timeFields, fields, contracts }: Pick<RunContext, "timeFields" | "fields" | "contracts">,
  window?: string,
) {
  const client = yield* ApiClient
  const response = yield* client.call(endpoint, inputs, subject)
  const { responseId, receivedAt, responses, attempts: requests } = response
  const lineage = { responseId, receivedAt }
  const named = window === undefined ? {} : { window }
  const source = { subject, inputs, timeFields, fields, contracts, lineage, ...named }
  const mapped = yield* Effect.mapError(
    Effect.fromResult(mapResponse(rows, response.value, source)),
    (violation) => contractViolation(endpoint, entity, { responses, requests }, violation),
  )
  const main = mapped.rows.find(({ table }) => table === tables[0])
  return {
    value: response.value,
    rows: mapped.rows,
    times: main?.times ?? [],
    count: (main?.length ?? 0) + mapped.rejected.length,
    drift: mapped.drift,
    rejected: mapped.rejected.map(({ record: _record, ...violation }) => ({
      ...violation,
      responseId,
    })),
    responses,
    requests,
  } satisfies Page<A>
})

/** A successful response whose content is not as documented. */
export const contractViolation = (
  endpoint: { readonly name: string; readonly section: string },
  entity: string,
  { responses, requests }: Pick<Page<unknown>, "responses" | "requests">,
  { path, detail, proposal }: Violation,
): ApiError =>
  new ApiError({
    reason: {
      _tag: "ContractViolation",
      path,
      ...(proposal === undefined ? {} : { proposal }),
    },
    endpoint: endpoint.name,
    subject: entity,
    status: 200,
    detail: `the response is not as documented (${endpoint.section}): ${path} ${detail}`,
    attempts: requests,
    responses,
  })
