// Why failed transactions failed: those found and those the configuration names, each asked about once. A
// chain without tracing costs one question, however many transactions failed there.
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"
import { ApiClient } from "../../extract/ApiClient.ts"
import { revertReason } from "../../extract/endpoints/transparency/revert_reason.ts"
import type { ArchiveError } from "../../extract/ResponseArchive.ts"
import {
  canonicalHash,
  revertReasonRows,
  revertReasons,
  type TransactionRef,
} from "../../transform/tables/transparency/revert_reasons.ts"
import { failedStep } from "../failedStep.ts"
import { landed } from "../landed.ts"
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

/** Transactions of a chain, asked about until the service says that it cannot trace there. */
interface Traces {
  readonly chainId: number
  readonly transactionHashes: ReadonlyArray<string>
}

/**
 * One target a transaction where a trace has come back before. Of any other chain one target in all: the first
 * answer that there is no tracing (§7) holds for the chain, and is remembered as its.
 */
const targets = Effect.fnUntraced(function* (lookup: Lookup) {
  const { context } = lookup
  const asked: ReadonlyArray<TransactionRef> = [
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
  const unknown = new Map(
    asked
      .map((transaction): [string, TransactionRef] => [entityOf(transaction), transaction])
      .filter(([entity]) => !known.has(entity)),
  )
  const byChain = Map.groupBy(unknown.values(), ({ chainId }) => chainId)
  return [...byChain].flatMap(([chainId, transactions]): ReadonlyArray<Target<Traces>> => {
    const all = transactions.map(({ transactionHash }) => transactionHash)
    return traced.has(chainId)
      ? transactions.map((transaction) => ({
          entity: entityOf(transaction),
          subject: { chainId, transactionHashes: [transaction.transactionHash] },
        }))
      : [{ entity: `chain ${chainId}`, subject: { chainId, transactionHashes: all } }]
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
  steps: ({ entity, subject: { chainId, transactionHashes } }, _memory, context) =>
    Stream.fromIterable(transactionHashes).pipe(
      Stream.mapEffect((transactionHash): Effect.Effect<Step, ArchiveError, ApiClient> =>
        ask(entity, { chainId, transactionHash }, context).pipe(
          // A trace that fails leaves the others standing.
          Effect.catchTag("ApiError", (error) =>
            Effect.succeed(failedStep(error, canonicalHash(transactionHash))),
          ),
        ),
      ),
      Stream.takeUntil(({ outcome }) => outcome === "unsupported"),
    ),
  expectedRequests: ({ subject }) => subject.transactionHashes.length,
}
