// The directory of subaccounts: offset pages that overlap, read again if the directory changed in between. The pages
// of a reading during which it did not change land as one set, so that subaccounts that left are retired.
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { ApiError } from "../../../domain/wire/errors.ts"
import { isJsonObject, type JsonObject, stableStringify } from "../../../domain/values/json.ts"
import { subaccountDirectory } from "../../../extract/endpoints/subaccounts/subaccount_directory.ts"
import {
  type OffsetReads,
  overlappingOffsets,
} from "../../../extract/paginators/overlappingOffsets.ts"
import { columnReader } from "../../../transform/fields/wireNames.ts"
import {
  directoryRows,
  directoryWindows,
} from "../../../transform/tables/subaccounts/subaccountRecords.ts"
import { subaccounts } from "../../../transform/tables/subaccounts/subaccounts.ts"
import type { Partition, Pipeline, RunContext } from "../../model/Pipeline.ts"
import type { TaskResult } from "../../model/TaskResult.ts"
import { asPartial } from "../../strategies/mapResponse.ts"
import { once } from "../../strategies/partitions.ts"
import { type Page, readPage } from "../../strategies/readPage.ts"
import { failedResult, hasRows, resultOf } from "../../strategies/taskResult.ts"

const source = { endpoint: subaccountDirectory, tables: [subaccounts], rows: directoryRows }

const PAGE = 1000
const OVERLAP = 100
const MAX_READINGS = 3

type DirectoryPage = Page<ReadonlyArray<JsonObject>>

/** One key per record in the order of the response: an unreadable one has its place, too, and is the same when read again. */
const keysOf = ({ value }: DirectoryPage, context: RunContext): ReadonlyArray<string> => {
  const addressOf = columnReader(subaccounts, "subaccount_address", context)
  return value.map((record: unknown) =>
    String((isJsonObject(record) ? addressOf(record) : null) ?? stableStringify(record)),
  )
}

const readDirectory = Effect.fnUntraced(function* (
  partition: Partition<null>,
  context: RunContext,
) {
  const { failure, ...readings } = yield* overlappingOffsets({
    limit: PAGE,
    overlap: OVERLAP,
    maxReadings: MAX_READINGS,
    read: (offset) =>
      Effect.map(readPage(source, partition, { limit: PAGE, offset }, context), (page) => ({
        content: page,
        keys: keysOf(page, context),
      })),
  })
  if (failure?._tag === "ArchiveError") return yield* failure
  return directoryResult({ ...readings, failure })
})

const directoryResult = ({
  read,
  whole,
  failure,
}: OffsetReads<DirectoryPage, ApiError>): TaskResult => {
  const all = resultOf(directoryWindows.moving, ...read)
  const rows = (whole ?? read).flatMap((page) => page.rows)
  const found = rows.filter(({ length }) => length > 0)
  if (failure !== undefined) {
    const failed = failedResult(directoryWindows.moving, failure)
    return {
      ...all,
      rows: found.map(asPartial),
      responses: [...all.responses, ...failed.responses],
      requests: all.requests + failed.requests,
      error: failure,
    }
  }
  if (whole === undefined) {
    return {
      ...all,
      rows: found.map(asPartial),
      warning: `the directory changed during each of ${MAX_READINGS} readings: what was found is kept, and nothing missing is retired`,
    }
  }
  const stable = { ...all, window: directoryWindows.stable }
  // A rejected record may be any member, so the pages don't make a whole set.
  if (all.rejected !== undefined && all.rejected.length > 0) {
    return { ...stable, rows: found.map(asPartial) }
  }
  return { ...stable, rows: hasRows(rows) ? found : rows }
}

export const subaccountDirectoryPipeline: Pipeline<null, ReadonlyArray<JsonObject>> = {
  name: "subaccounts",
  title: "Subaccount directory",
  cadence: "daily",
  ...source,
  after: [],
  partitions: once,
  read: (partition, _state, context) => Stream.fromEffect(readDirectory(partition, context)),
  // One page, and another that shows that there are no more.
  expectedRequests: () => 2,
}
