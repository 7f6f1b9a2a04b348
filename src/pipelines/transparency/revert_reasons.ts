// Why failed transactions failed: those found and those the configuration names, each asked about once. A
// chain without tracing costs two questions, however many transactions failed there.
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { ApiClient } from "../../extract/ApiClient.ts"
import { revertReason } from "../../extract/endpoints/transparency/revert_reason.ts"
import {
  canonicalHash,
  revertReasonRows,
  revertReasons,
  type TransactionRef,
} from "../../transform/tables/transparency/revert_reasons.ts"
import { CHAIN, scoutChain } from "./chainScout.ts"
import { landed } from "../run/landed.ts"
import type { Lookup, Pipeline, RunContext, Step, Target } from "../Pipeline.ts"

const failed = `
  select distinct t.chain_id, t.transaction_hash from core.transactions t
  where t.is_failed and t.chain_id is not null and t.transaction_hash is not null`

// Where vaults are selected, what their subaccounts did.
const failedOf = (vaults: number): string => `${failed}
  and t.subaccount_address in (
    select subaccount_address from core.vault_subaccounts
    where is_current and vault_address in (${Array.from({ length: vaults }, (_, at) => `$${at + 1}`).join(", ")}))`

const found = ({ rows, vaults, isSelection }: Lookup) => {
  if (!isSelection) return rows(`${failed} order by all`)
  const selected = vaults.map(({ address }) => address)
  return selected.length === 0
    ? Effect.succeed([])
    : rows(`${failedOf(selected.length)} order by all`, selected)
}

const entityOf = ({ chainId, transactionHash }: TransactionRef): string =>
  `${canonicalHash(transactionHash)}@${chainId}`

/** Transactions of a chain, in the order they are asked about. */
interface Traces {
  readonly chainId: number
  readonly transactionHashes: ReadonlyArray<string>
}

interface Remembered {
  /** When it was asked about last, microseconds since 1970. */
  readonly at: (window: string, chainId: number) => number
  /** Whether it lately had no answer for a reason that lasts. */
  readonly isAbsent: (window: string, chainId: number) => boolean
}

const remembered = Effect.fnUntraced(function* ({ rows, absentSince, context }: Lookup) {
  const asked = yield* rows(
    `select "window", regexp_extract(entity, '[0-9]+$') as chain_id,
       epoch_us(max(finished_at))::double as asked_at,
       coalesce(arg_max(outcome = 'unsupported' or (outcome = 'empty' and error_tag is not null),
         finished_at), false) as is_absent
     from ops.tasks where pipeline = $1 group by all`,
    [revertReasonsPipeline.name],
  )
  const tasks = new Map(
    asked.map((row) => [`${String(row["window"])}@${String(row["chain_id"])}`, row]),
  )
  const at = (window: string, chainId: number): number =>
    Number(tasks.get(`${window}@${chainId}`)?.["asked_at"] ?? -Infinity)
  return {
    at,
    isAbsent: (window: string, chainId: number) =>
      !context.full &&
      at(window, chainId) > absentSince &&
      tasks.get(`${window}@${chainId}`)?.["is_absent"] === true,
  } satisfies Remembered
})

/**
 * One target a transaction where a trace has come back before. Of any other chain one target in all, which ends
 * when the chain turns out not to be traced (§7). What was not asked about yet comes first: were it always the same
 * that do, those could keep the others from ever being asked about.
 */
const targets = Effect.fnUntraced(function* (lookup: Lookup) {
  const { context } = lookup
  const named: ReadonlyArray<TransactionRef> = [
    ...context.revertReasons,
    ...(yield* found(lookup)).map((row) => ({
      chainId: Number(row["chain_id"]),
      transactionHash: String(row["transaction_hash"]),
    })),
  ]
  const stored = yield* lookup.rows("select chain_id, transaction_hash from core.revert_reasons")
  const traced = new Set(stored.map((row) => Number(row["chain_id"])))
  const known = new Set(
    (context.full ? [] : stored).map((row) =>
      entityOf({
        chainId: Number(row["chain_id"]),
        transactionHash: String(row["transaction_hash"]),
      }),
    ),
  )
  const { at, isAbsent } = yield* remembered(lookup)
  const asked = new Map(
    named
      .filter((transaction) => !known.has(entityOf(transaction)))
      .filter(({ chainId, transactionHash }) => !isAbsent(canonicalHash(transactionHash), chainId))
      .map((transaction): [string, TransactionRef] => [entityOf(transaction), transaction]),
  )
  const byChain = Map.groupBy(asked.values(), ({ chainId }) => chainId)
  return [...byChain].flatMap(([chainId, transactions]): ReadonlyArray<Target<Traces>> => {
    if (traced.has(chainId)) {
      return transactions.map((transaction) => ({
        entity: entityOf(transaction),
        subject: { chainId, transactionHashes: [transaction.transactionHash] },
      }))
    }
    if (isAbsent(CHAIN, chainId)) return []
    const transactionHashes = transactions
      .map(({ transactionHash }) => transactionHash)
      .toSorted((a, b) => at(canonicalHash(a), chainId) - at(canonicalHash(b), chainId) || 0)
    return [{ entity: `chain ${chainId}`, subject: { chainId, transactionHashes } }]
  })
})

const ask = Effect.fnUntraced(function* (
  entity: string,
  { chainId, transactionHash }: TransactionRef,
  { timeFields }: RunContext,
) {
  const client = yield* ApiClient
  const inputs = { transactionHash, chain: chainId }
  const subject = { chainId, transactionHashes: [transactionHash] }
  const answer = yield* client.call(revertReason, inputs, subject)
  const asked = { entity, subject, inputs, timeFields }
  const { rows, drift } = yield* landed(revertReasonsPipeline, asked, answer)
  return {
    window: canonicalHash(transactionHash),
    endpoint: revertReason.name,
    outcome: "landed",
    rows,
    responses: answer.responses,
    requests: answer.attempts,
    drift,
  } satisfies Step
})

type Answer = (typeof revertReason)["response"]["Type"]

export const revertReasonsPipeline: Pipeline<Traces, Answer> = {
  name: "revert_reasons",
  title: "Revert reasons",
  tables: [revertReasons],
  endpoint: revertReason,
  after: ["transactions"],
  targets,
  rows: (answer, source) => Result.succeed(revertReasonRows(answer, source)),
  remembersItself: true,
  steps: (target, _memory, context) =>
    scoutChain(target.subject.transactionHashes, (transactionHash) =>
      ask(target.entity, { chainId: target.subject.chainId, transactionHash }, context),
    ),
  expectedRequests: ({ subject }) => subject.transactionHashes.length,
}
