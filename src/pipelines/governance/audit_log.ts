// Audit log of EVM vaults, newest first. Each page lands as it comes; the cursor moves with the last one, so
// that a walk cut short is walked again and leaves no hole.
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { ApiError } from "../../domain/errors.ts"
import { formatInstant } from "../../domain/time.ts"
import type { VaultRef } from "../../domain/vault.ts"
import { type Answer, ApiClient } from "../../extract/ApiClient.ts"
import { auditLog as auditLogEndpoint } from "../../extract/endpoints/governance/audit_log.ts"
import {
  type CursorPage,
  type Loss,
  tiedCursor,
  type WalkedPage,
} from "../../extract/paginators/tiedCursor.ts"
import type { MappedAnswer } from "../../transform/Source.ts"
import { auditLog, auditLogRows } from "../../transform/tables/governance/audit_log.ts"
import { landed } from "../run/landed.ts"
import type { GapNote, Pipeline, RunContext, Step, Target } from "../Pipeline.ts"
import { evmVaultsByChain } from "../walks/targets.ts"
import {
  afterWalk,
  type AuditLogCursor,
  readAuditLogCursor,
  walkOf,
  writeAuditLogCursor,
} from "./auditLogCursor.ts"

// The most a page can hold (§8): a tie larger than a page is out of reach.
const PAGE_LIMIT = 200

type AuditLogPage = (typeof auditLogEndpoint)["response"]["Type"]

interface Content {
  readonly answer: Answer<AuditLogPage>
  readonly mapped: MappedAnswer
}

const read = Effect.fnUntraced(function* (
  { entity, subject }: Target<VaultRef>,
  before: string | undefined,
  { timeFields }: RunContext,
) {
  const client = yield* ApiClient
  const { served, chainId } = subject
  const inputs = {
    vault_address: served,
    chainId,
    limit: PAGE_LIMIT,
    ...(before === undefined ? {} : { before }),
  }
  const answer = yield* client.call(auditLogEndpoint, inputs, subject)
  const asked = { entity, subject, inputs, timeFields }
  const mapped = yield* landed(auditLogPipeline, asked, answer)
  const at = auditLog.columns.findIndex(({ name }) => name === auditLog.time)
  const times = (mapped.rows[0]?.columns[at] ?? []) as ReadonlyArray<number>
  const { entries, has_more: more } = answer.value
  const content: Content = { answer, mapped }
  return {
    content,
    places: times.map((time, index) => ({ cursor: entries[index]?.timestamp ?? "", at: time })),
    more,
  } satisfies CursorPage<Content>
})

/** What an error of a later page says is about its cursor, and no absence of the vault's (§7). */
const aboutCursor = (error: ApiError): ApiError =>
  error.reason._tag === "Unsupported" || error.reason._tag === "NotFound"
    ? withReason(error, { _tag: "UnexpectedStatus" }, error.detail)
    : error

const withReason = (error: ApiError, reason: ApiError["reason"], detail: string): ApiError => {
  const { endpoint, subject, status, attempts, responses } = error
  return new ApiError({ reason, endpoint, subject, status, detail, attempts, responses })
}

const gapOf = ({ from, to, why }: Loss): GapNote => ({
  fromAt: from,
  toAt: to,
  reason: why === "tie" ? "tie" : "unreachable",
  state: "permanent",
  detail:
    why === "tie"
      ? `as many entries at ${formatInstant(from)} as a page holds; any more of that instant can't be asked for`
      : `the service's cursor passed over entries from ${formatInstant(to)} back to ${formatInstant(from)}`,
})

const toStep = (
  page: WalkedPage<Content>,
  entity: string,
  cursor: AuditLogCursor | undefined,
): Step => {
  const { answer, mapped } = page.content
  const gaps = page.losses.map(gapOf)
  const shared = {
    window: page.before === undefined ? "newest" : `before ${page.before}`,
    endpoint: auditLogEndpoint.name,
    rows: page.isEmpty ? [] : mapped.rows,
    responses: answer.responses,
    requests: answer.attempts,
    drift: mapped.drift,
    gaps,
  }
  if (page.stalled !== undefined) {
    return { ...shared, outcome: "quarantined", error: stalledError(entity, page.stalled, answer) }
  }
  return {
    ...shared,
    outcome: page.isEmpty ? "empty" : "landed",
    ...(cursor === undefined ? {} : { cursor: { entity, value: writeAuditLogCursor(cursor) } }),
    ...(gaps.length === 0 ? {} : { warning: gaps.map(({ detail }) => detail).join("; ") }),
  }
}

const stalledError = (entity: string, detail: string, answer: Answer<unknown>): ApiError =>
  new ApiError({
    reason: { _tag: "ContractViolation", path: "$.has_more" },
    endpoint: auditLogEndpoint.name,
    subject: entity,
    status: 200,
    detail: `the answer is not as documented (${auditLogEndpoint.section}): $.has_more ${detail}`,
    attempts: answer.attempts,
    responses: answer.responses,
  })

export const auditLogPipeline: Pipeline<VaultRef, AuditLogPage> = {
  name: "audit_log",
  title: "Audit log",
  tables: [auditLog],
  endpoint: auditLogEndpoint,
  after: ["vaults"],
  targets: evmVaultsByChain,
  rows: auditLogRows,
  steps: (target, memory, context) => {
    const earlier = readAuditLogCursor(memory.cursor(memory.entity))
    const walk = walkOf(earlier, context)
    const pages = tiedCursor({
      back: walk.back,
      read: (before) => {
        const page = read(target, before, context)
        return before === undefined
          ? page
          : Effect.mapError(page, (error) =>
              error._tag === "ApiError" ? aboutCursor(error) : error,
            )
      },
    })
    return Stream.map(pages, (page) => {
      const { isLast, stalled, newest, number } = page
      const ended = isLast && stalled === undefined && newest !== undefined
      const cursor = ended
        ? afterWalk(earlier, walk, { newest, pages: number }, context)
        : undefined
      return toStep(page, memory.entity, cursor)
    })
  },
  expectedRequests: (_target, memory, context) => {
    const cursor = readAuditLogCursor(memory.cursor(memory.entity))
    return walkOf(cursor, context).isFull ? (cursor?.pages ?? 1) : 1
  },
}
