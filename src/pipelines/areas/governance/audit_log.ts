// Audit log of EVM vaults, newest first. Each page lands as it comes; the cursor moves with the last one if all others
// have landed, so that a scan that is cut short or lacks a page is repeated and leaves no gap.
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { ApiError } from "../../../domain/wire/errors.ts"
import { isJsonObject } from "../../../domain/values/json.ts"
import { formatInstant, parseInstant } from "../../../domain/values/time.ts"
import type { VaultRef } from "../../../domain/subject/vault.ts"
import { auditLog as auditLogEndpoint } from "../../../extract/endpoints/governance/audit_log.ts"
import {
  type CursorPage,
  type Loss,
  type Place,
  tiedCursor,
  type ReadPage,
} from "../../../extract/paginators/tiedCursor.ts"
import { responseEnvelopes } from "../../../transform/tables/response_envelopes.ts"
import { auditLog, auditLogRows } from "../../../transform/tables/governance/audit_log.ts"
import type { Partition, Pipeline, RunContext } from "../../model/Pipeline.ts"
import type { GapNote, TaskResult } from "../../model/TaskResult.ts"
import { leftAfter } from "../../strategies/cursors.ts"
import { evmVaultsByChain } from "../../strategies/partitions.ts"
import { contractViolation, type Page, readPage } from "../../strategies/readPage.ts"
import { resultOf } from "../../strategies/taskResult.ts"
import { afterScan, type AuditLogCursor, beforeFullScan, cursors, scanOf } from "./auditLogScan.ts"

const source = {
  endpoint: auditLogEndpoint,
  tables: [auditLog, responseEnvelopes],
  rows: auditLogRows,
}

// The most a page can hold (§8): of more entries at one instant, the rest is out of reach.
const PAGE_LIMIT = 200

type Entries = (typeof auditLogEndpoint)["response"]["Type"]
type EntriesPage = Page<Entries>

/** The times of the entries. What is no entry or has no time is rejected, and may be any JSON. */
const placesOf = ({ value }: EntriesPage): ReadonlyArray<Place> =>
  value.entries.flatMap((entry: unknown) => {
    const timestamp = isJsonObject(entry) ? entry["timestamp"] : undefined
    const at = parseInstant(timestamp)
    return at === undefined ? [] : [{ cursor: String(timestamp), at }]
  })

const read = (partition: Partition<VaultRef>, before: string | undefined, context: RunContext) => {
  const { wireAddress, chainId } = partition.subject
  const inputs = {
    vault_address: wireAddress,
    chainId,
    limit: PAGE_LIMIT,
    ...(before === undefined ? {} : { before }),
  }
  return readPage(source, partition, inputs, context).pipe(
    Effect.map((page): CursorPage<EntriesPage> => ({
      content: page,
      places: placesOf(page),
      more: page.value.has_more,
    })),
    Effect.mapError((error) =>
      before !== undefined && error._tag === "ApiError" ? aboutCursor(error) : error,
    ),
  )
}

/** An error on a later page is about its cursor; it is not an absence (§7). */
const aboutCursor = (error: ApiError): ApiError => {
  const { endpoint, subject, status, detail, attempts, responses } = error
  return error.reason._tag === "Unsupported" || error.reason._tag === "NotFound"
    ? new ApiError({
        reason: { _tag: "UnexpectedStatus" },
        endpoint,
        subject,
        status,
        detail,
        attempts,
        responses,
      })
    : error
}

const gapOf = ({ from, to, why }: Loss): GapNote => ({
  fromAt: from,
  toAt: to,
  reason: why === "tie" ? "tie" : "unreachable",
  state: "permanent",
  detail:
    why === "tie"
      ? `as many entries at ${formatInstant(from)} as a page holds; there is no way to request any more of that instant`
      : `the service's cursor passed over entries from ${formatInstant(to)} back to ${formatInstant(from)}`,
})

/** Named by the entries that it holds: the newest page of another run holds others. */
const windowOf = ({ content, before }: ReadPage<EntriesPage>): string => {
  if (before !== undefined) return `before ${before}`
  const last = placesOf(content).at(-1)
  return last === undefined ? "newest" : `newest, back to ${last.cursor}`
}

const taskResult = (
  page: ReadPage<EntriesPage>,
  entity: string,
  cursor: AuditLogCursor | undefined,
  hadRows: boolean,
): TaskResult => {
  const { content, before, losses, stalled } = page
  const gaps = losses.map(gapOf)
  const result = {
    ...resultOf(windowOf(page), content),
    gaps,
    ...(before === undefined ? { hadRows } : {}),
    ...(gaps.length === 0 ? {} : { warning: gaps.map(({ detail }) => detail).join("; ") }),
  }
  if (stalled !== undefined) {
    const violation = { path: "$.has_more", detail: stalled }
    return { ...result, error: contractViolation(auditLogEndpoint, entity, content, violation) }
  }
  return cursor === undefined
    ? result
    : { ...result, cursor: { entity, value: cursors.encode(cursor) } }
}

export const auditLogPipeline: Pipeline<VaultRef, Entries> = {
  name: "audit_log",
  title: "Audit log",
  cadence: "hourly",
  // The service has no parameter for the last day.
  limitedBy: ["since"],
  ...source,
  after: ["vaults"],
  leavesInQuarantine: true,
  partitions: evmVaultsByChain,
  read: (partition, state, context) => {
    const { entity } = partition
    const earlier = cursors.decode(state.cursor(entity))
    const scan = scanOf(earlier, context)
    return tiedCursor({
      back: scan.back,
      read: (before) => read(partition, before, context),
    }).pipe(
      Stream.mapAccum(
        () => (scan.back === undefined ? null : (earlier?.leftInQuarantine ?? null)),
        (before, page) => {
          const { content, isLast, stalled, newest, number: pages } = page
          const left = leftAfter(before, content)
          const isDone = isLast && stalled === undefined && newest !== undefined
          const cursor = isDone
            ? afterScan(earlier, scan, { newest, pages, left }, context)
            : undefined
          return [left, [taskResult(page, entity, cursor, earlier !== undefined)]] as const
        },
      ),
    )
  },
  cursorForWhole: ({ entity }, { cursor }) => {
    const stored = cursors.decode(cursor(entity))
    return stored === undefined ? undefined : cursors.encode(beforeFullScan(stored))
  },
  expectedRequests: ({ entity }, state, context) => {
    const cursor = cursors.decode(state.cursor(entity))
    return scanOf(cursor, context).isFull ? (cursor?.pages ?? 1) : 1
  },
}
