// The lists of vaults, one for each status (§4.2), from which the other pipelines take their partitions. Two whole lists
// land as one set, so that vaults in neither list are retired.
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import type { ApiError } from "../../../domain/wire/errors.ts"
import type { JsonObject } from "../../../domain/values/json.ts"
import { tokenizedVaults } from "../../../extract/endpoints/vaults/tokenized_vaults.ts"
import { vaultReportedMetrics } from "../../../transform/tables/vaults/vault_reported_metrics.ts"
import { asOneSet } from "../../../transform/Source.ts"
import { vaultRows, wholeOfVaults } from "../../../transform/tables/vaults/vaultRecords.ts"
import { vaults } from "../../../transform/tables/vaults/vaults.ts"
import type { PartitionState } from "../../model/PartitionState.ts"
import type { Partition, Pipeline, RunContext } from "../../model/Pipeline.ts"
import type { TaskResult } from "../../model/TaskResult.ts"
import { cursorCodec } from "../../strategies/cursors.ts"
import { asPartial } from "../../strategies/mapResponse.ts"
import { once } from "../../strategies/partitions.ts"
import { type Page, readPage } from "../../strategies/readPage.ts"
import { failedResult, hasRows, resultOf } from "../../strategies/taskResult.ts"

const source = {
  endpoint: tokenizedVaults,
  tables: [vaults, vaultReportedMetrics],
  rows: vaultRows,
}

// All states of a vault (§3). A vault that is closed while they are read is in both, and the later one counts.
const statuses = ["active", "closed"] as const
type Status = (typeof statuses)[number]

interface List {
  readonly status: Status
  readonly page: Page<ReadonlyArray<JsonObject>>
}

interface Unread {
  readonly status: Status
  readonly error: ApiError
}

const isRead = (list: List | Unread): list is List => "page" in list
const isEmpty = ({ page }: List): boolean => !hasRows(page.rows)

/** How many vaults the previous reading found in each list that it could read. */
const cursors = cursorCodec(Schema.Struct({ listed: Schema.Record(Schema.String, Schema.Finite) }))

const readLists = Effect.fnUntraced(function* (
  partition: Partition<null>,
  { cursor }: PartitionState,
  context: RunContext,
) {
  const { entity } = partition
  const lists = yield* Effect.forEach(statuses, (status) =>
    readPage(source, partition, { status }, context).pipe(
      Effect.map((page): List | Unread => ({ status, page })),
      // A list that fails does not affect the other.
      Effect.catchTag("ApiError", (error) => Effect.succeed<List | Unread>({ status, error })),
    ),
  )
  const read = lists.filter(isRead)
  const before = cursors.decode(cursor(entity))?.listed ?? {}
  const hadVaults = ({ status }: List): boolean => (before[status] ?? 0) > 0
  const areAllEmpty = read.every(isEmpty)
  // One list that is empty and was not before is suspicious until the next reading; two empty lists are an empty set.
  const isWhole =
    read.length === lists.length &&
    (areAllEmpty || !read.some((list) => isEmpty(list) && hadVaults(list)))
  const results = isWhole
    ? [wholeResult(read)]
    : lists.map((list) =>
        isRead(list) ? partResult(list, hadVaults(list)) : failedResult(list.status, list.error),
      )
  const listed = Object.fromEntries(read.map(({ status, page }) => [status, page.value.length]))
  const stored = { entity, value: cursors.encode({ listed }) }
  return results.map((result, at): TaskResult =>
    at === results.length - 1 ? { ...result, cursor: stored } : result,
  )
})

const wholeResult = (lists: ReadonlyArray<List>): TaskResult => {
  const result = resultOf(wholeOfVaults, ...lists.map(({ page }) => page))
  return { ...result, rows: asOneSet(result.rows) }
}

const partResult = ({ status, page }: List, hadRows: boolean): TaskResult => ({
  ...resultOf(status, page),
  rows: page.rows.filter(({ length }) => length > 0).map(asPartial),
  hadRows,
})

export const vaultListsPipeline: Pipeline<null, ReadonlyArray<JsonObject>> = {
  name: "vaults",
  title: "Vaults",
  cadence: "hourly",
  ...source,
  after: [],
  partitions: once,
  read: (partition, state, context) =>
    Stream.fromIterableEffect(readLists(partition, state, context)),
  expectedRequests: () => statuses.length,
}
