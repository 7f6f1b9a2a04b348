// The lists of vaults, one for each status (§4.2), from which the other pipelines take their partitions. Two whole lists
// land as one set, so that vaults in neither list are retired.
import { hash } from "node:crypto"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import type { ApiError } from "../../../domain/wire/errors.ts"
import type { Rows } from "../../../domain/table/table.ts"
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
const [first, second] = statuses
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

/**
 * How many vaults the previous reading found in each list that did not fail; which, if it could read both; and the list
 * that alone was empty in the last whole reading and has had no vault since, which 1.0.0 did not record.
 */
const cursors = cursorCodec(
  Schema.Struct({
    listed: Schema.Record(Schema.String, Schema.Finite),
    vaults: Schema.optionalKey(Schema.String),
    empty: Schema.optionalKey(Schema.Array(Schema.String)),
  }),
)

/** A digest of the vaults in the lists; `undefined` if one is in both. */
const vaultsIn = (lists: ReadonlyArray<List>): string | undefined => {
  const found = lists
    .flatMap(({ page }) => page.rows.filter(({ table }) => table === vaults))
    .flatMap((rows) => Array.from({ length: rows.length }, (_, row) => keyOf(rows, row)))
  return new Set(found).size < found.length
    ? undefined
    : hash("sha256", found.toSorted().join("\n"))
}

const keyColumns = vaults.key.map((name) => vaults.columns.findIndex((each) => each.name === name))

const keyOf = ({ columns }: Rows, row: number): string =>
  keyColumns.map((column) => String(columns[column]?.[row])).join(" ")

const readLists = Effect.fnUntraced(function* (
  partition: Partition<null>,
  { cursor }: PartitionState,
  context: RunContext,
) {
  const { entity } = partition
  const before = cursors.decode(cursor(entity))
  const readList = (status: Status) =>
    readPage(source, partition, { status }, context).pipe(
      Effect.map((page): List | Unread => ({ status, page })),
      // A list that fails does not affect the other.
      Effect.catchTag("ApiError", (error) => Effect.succeed<List | Unread>({ status, error })),
    )
  const inTurn = yield* readInTurn(before?.vaults, readList)
  const { lists } = inTurn
  const read = lists.filter(isRead)
  // A list that failed may have had vaults, unless it was known to be empty.
  const hadVaults = ({ status }: List): boolean =>
    before !== undefined &&
    (before.listed[status] ?? (before.empty?.includes(status) === true ? 0 : 1)) > 0
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
  const found = isWhole ? vaultsIn(read) : undefined
  // Where both lists are, nothing is known until the next reading confirms it.
  const empty =
    isWhole && !areAllEmpty
      ? statuses.filter((status) => listed[status] === 0)
      : (before?.empty ?? []).filter((status) => (listed[status] ?? 0) === 0)
  const value = cursors.encode({ listed, empty, ...(found === undefined ? {} : { vaults: found }) })
  // Where no reading has found anything, there is nothing to remember: no list counts as one that may have had vaults.
  const isNothing = before === undefined && read.length === 0
  const stored = isNothing ? {} : { cursor: { entity, value } }
  return results.map((result, at): TaskResult =>
    at === results.length - 1 ? { ...withReplaced(result, inTurn), ...stored } : result,
  )
})

interface Lists {
  readonly lists: ReadonlyArray<List | Unread>
  /** What was read of the second list before it was read again. */
  readonly replaced?: List["page"]
}

/**
 * The lists as if they had been read one after the other: a vault that is closed meanwhile is then in both, while lists that
 * are read at once may both lack it. Where these have the vaults of the previous reading (`known`), each once, none was
 * closed meanwhile; else the second is read again.
 */
const readInTurn = Effect.fnUntraced(function* <E, R>(
  known: string | undefined,
  readList: (status: Status) => Effect.Effect<List | Unread, E, R>,
): Effect.fn.Return<Lists, E, R> {
  if (known === undefined) return { lists: yield* Effect.forEach(statuses, readList) }
  const [active, closed] = yield* Effect.all([readList(first), readList(second)], {
    concurrency: "unbounded",
  })
  const lists = [active, closed]
  if (!isRead(active) || !isRead(closed) || vaultsIn([active, closed]) === known) return { lists }
  return { lists: [active, yield* readList(second)], replaced: closed.page }
})

/** The result with the response that was replaced, of which nothing lands. */
const withReplaced = (result: TaskResult, { replaced }: Lists): TaskResult =>
  replaced === undefined
    ? result
    : {
        ...result,
        responses: [...replaced.responses, ...result.responses],
        requests: replaced.requests + result.requests,
      }

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
