// Collateral excess or deficit of each subaccount with debt in each token with a ladder: without debt the
// answer is zero (§2.6), without a ladder there is none (§7).
import * as Effect from "effect/Effect"
import { sendable } from "../../domain/address.ts"
import { collateralExcess as endpoint } from "../../extract/endpoints/risk/collateral_excess.ts"
import {
  collateralExcess,
  collateralExcessRows,
  type ExposureRef,
} from "../../transform/tables/risk/collateral_excess.ts"
import type { Pipeline, Target } from "../Pipeline.ts"
import { ask, snapshot } from "../walks/snapshot.ts"
import { subaccounts, unaskable } from "../walks/targets.ts"

// By its summary as it stands; by the loans it has taken where there is no summary of it.
const indebtedNow = `
  with summaries as (
    select subaccount_address,
      greatest(coalesce(total_debt, 0), coalesce(total_loan_value, 0)) > 0 as has_debt
    from core.subaccount_summaries where is_current
  ),
  borrowers as (
    select distinct borrower_address as subaccount_address from core.loans
    where is_current and (state is null or upper(state) = 'ACTIVE')
  )
  select subaccount_address from summaries where has_debt
  union
  select subaccount_address from borrowers
  where subaccount_address not in (select subaccount_address from summaries)`

const ladderTokens = `
  select distinct chain_id, token_address, token_address_as_served from core.discount_factors
  where is_current order by chain_id, token_address`

type Exposure = Target<ExposureRef>
type Token = Omit<ExposureRef, "subaccount"> & Pick<Exposure, "unaskable">

const isAskable = ({ unaskable: why }: Pick<Exposure, "unaskable">): boolean => why === undefined
const exposure = ({ chainId, token }: Token): string => `${chainId}:${token.address}`

const targets: Pipeline<ExposureRef>["targets"] = (lookup) =>
  Effect.gen(function* () {
    const inDebt = new Set(
      (yield* lookup.rows(indebtedNow)).map((row) => String(row["subaccount_address"])),
    )
    const indebted = (yield* subaccounts(lookup)).filter(({ entity }) => inDebt.has(entity))
    const tokens = (yield* lookup.rows(ladderTokens)).map((row): Token => {
      const address = String(row["token_address"])
      const served = sendable(String(row["token_address_as_served"]))
      return {
        chainId: Number(row["chain_id"]),
        token: { address, served },
        ...unaskable("token", served, "core.discount_factors"),
      }
    })
    const [anyone] = indebted
    const [anything] = tokens
    if (anyone === undefined || anything === undefined) return []
    // What can't be asked about is told once, not for every other half of the question.
    return indebted
      .flatMap(({ entity, subject: subaccount, ...about }): ReadonlyArray<Exposure> =>
        isAskable(about)
          ? tokens.filter(isAskable).map((token) => ({
              entity: `${entity} ${exposure(token)}`,
              subject: { subaccount, ...token },
            }))
          : [{ ...about, entity, subject: { subaccount, ...anything } }],
      )
      .concat(
        tokens
          .filter((token) => !isAskable(token))
          .map((token) => ({
            ...token,
            entity: exposure(token),
            subject: { subaccount: anyone.subject, ...token },
          })),
      )
  })

export const collateralExcessPipeline = snapshot({
  name: "collateral_excess",
  title: "Collateral excess or deficit",
  tables: [collateralExcess],
  endpoint,
  after: ["discount_factors", "subaccount_summaries", "loans"],
  targets,
  questions: ({ subaccount, chainId, token }) =>
    ask({
      subaccountAddress: subaccount.served,
      tokenAddress: token.served,
      tokenChain: chainId,
    }),
  rows: collateralExcessRows,
})
