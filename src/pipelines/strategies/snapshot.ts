// The sync strategy of a pipeline that reads the present state: each request is a window of its own, the same in every
// run.
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { Inputs } from "../../extract/Endpoint.ts"
import type { Parameters } from "../../extract/Parameter.ts"
import type { PartitionState } from "../model/PartitionState.ts"
import type { Cadence, Pipeline, RunContext } from "../model/Pipeline.ts"
import { type PageSource, readPage } from "./readPage.ts"
import { failedResult, resultOf } from "./taskResult.ts"

export interface SnapshotRequest<P extends Parameters> {
  readonly window: string
  readonly inputs: Inputs<P>
}

export interface Snapshot<P extends Parameters, A, S> extends PageSource<P, A, S> {
  readonly name: string
  readonly title: string
  readonly cadence: Cadence
  /**
   * Default: the lists of vaults. Where the key counts, my_subaccounts too: a key that opens its own subaccounts is known to
   * be good, so that a refusal of a vault is about the vault and not the key.
   */
  readonly after?: ReadonlyArray<string>
  readonly atOnce?: number
  readonly partitions: Pipeline<S>["partitions"]
  readonly requests: (subject: S, context: RunContext) => ReadonlyArray<SnapshotRequest<P>>
}

/** The request of a partition that has only one. */
export const single = <P extends Parameters>(
  inputs: Inputs<P>,
): ReadonlyArray<SnapshotRequest<P>> => [{ window: "snapshot", inputs }]

export const snapshot = <P extends Parameters, A, S>({
  requests,
  after,
  ...definition
}: Snapshot<P, A, S>): Pipeline<S, A> => ({
  ...definition,
  after:
    after ?? (definition.endpoint.auth === "public" ? ["vaults"] : ["vaults", "my_subaccounts"]),
  windows: ({ subject }, context) => requests(subject, context).map(({ window }) => window),
  read: (partition, state, context) =>
    Stream.fromIterable(due(requests(partition.subject, context), state)).pipe(
      Stream.mapEffect(({ window, inputs }) =>
        readPage(definition, partition, inputs, context).pipe(
          Effect.map((page) => resultOf(window, page)),
          // A request that fails does not affect the others.
          Effect.catchTag("ApiError", (error) => Effect.succeed(failedResult(window, error))),
        ),
      ),
    ),
  expectedRequests: ({ subject }, state, context) => due(requests(subject, context), state).length,
})

const due = <P extends Parameters>(
  requests: ReadonlyArray<SnapshotRequest<P>>,
  { isSkipped }: PartitionState,
): ReadonlyArray<SnapshotRequest<P>> => requests.filter(({ window }) => !isSkipped(window))
