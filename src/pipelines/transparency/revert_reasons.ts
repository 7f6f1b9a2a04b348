// Why failed transactions failed: those found and those the configuration names, each asked about once.
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { revertReason } from "../../extract/endpoints/transparency/revert_reason.ts"
import {
  canonicalHash,
  revertReasonRows,
  revertReasons,
  type TransactionRef,
} from "../../transform/tables/transparency/revert_reasons.ts"
import type { Lookup, Target } from "../Pipeline.ts"
import { ask, snapshot } from "../snapshot.ts"

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

const targets = Effect.fnUntraced(function* (lookup: Lookup) {
  const { context } = lookup
  const asked: ReadonlyArray<TransactionRef> = [
    ...context.revertReasons,
    ...(yield* found(lookup)).map((row) => ({
      chainId: Number(row["chain_id"]),
      transactionHash: String(row["transaction_hash"]),
    })),
  ]
  const stored = context.full
    ? []
    : yield* lookup.rows("select chain_id, transaction_hash from core.revert_reasons")
  const known = new Set(
    stored.map((row) =>
      entityOf({
        chainId: Number(row["chain_id"]),
        transactionHash: String(row["transaction_hash"]),
      }),
    ),
  )
  const all = new Map(
    asked.map((subject): [string, Target<TransactionRef>] => {
      const entity = entityOf(subject)
      return [entity, { entity, subject }]
    }),
  )
  return [...all.values()].filter(({ entity }) => !known.has(entity))
})

export const revertReasonsPipeline = snapshot({
  name: "revert_reasons",
  title: "Revert reasons",
  tables: [revertReasons],
  endpoint: revertReason,
  after: ["transactions"],
  targets,
  questions: ({ chainId, transactionHash }) => ask({ transactionHash, chain: chainId }),
  rows: (answer, source) => Result.succeed(revertReasonRows(answer, source)),
})
