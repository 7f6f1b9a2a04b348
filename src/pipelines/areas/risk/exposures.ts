// Partitions of collateral_excess: each subaccount with debt and each token with a ladder. Without debt the excess is
// zero (§2.6); without a ladder the service reports none (§7). Debt without any ladder is recorded: ladders that can't be
// read would otherwise end these requests without a word.
import * as Effect from "effect/Effect"
import { sendable } from "../../../domain/values/address.ts"
import { decodeRow, number, text } from "../../../load/duckdb/decodeRow.ts"
import { sqlFile } from "../../../load/sql/sqlFile.ts"
import type { ExposureRef } from "../../../transform/tables/risk/collateral_excess.ts"
import type { Lookup, Partition } from "../../model/Pipeline.ts"
import { evmSubaccounts, unsupportedAddress } from "../../strategies/partitions.ts"

type Exposure = Partition<ExposureRef>
type Token = Omit<ExposureRef, "subaccount"> & Pick<Exposure, "unsupported">

const NO_LADDER =
  "core.discount_factors has no ladder, so there is no token to request this for. Ladders in quarantine count once the setting fields declares their shape; `vaulthouse fields` proposes how"

const isSupported = ({ unsupported }: Pick<Exposure, "unsupported">): boolean =>
  unsupported === undefined
const keyOf = ({ chainId, token }: Token): string => `${chainId}:${token.address}`

const indebtedSubaccount = decodeRow({ address: text("subaccount_address") })
const ladderToken = decodeRow({
  chainId: number("chain_id"),
  address: text("token_address"),
  wireAddress: text("wire_address"),
})

export const exposures = Effect.fnUntraced(function* (lookup: Lookup) {
  const found = yield* lookup.rows(sqlFile("partitions", "indebted_subaccounts"))
  const inDebt = new Set(found.map((row) => indebtedSubaccount(row).address))
  const indebted = (yield* evmSubaccounts(lookup)).filter(({ entity }) => inDebt.has(entity))
  const tokens = (yield* lookup.rows(
    sqlFile("partitions", "ladder_tokens"),
    [],
    ["core.discount_factors"],
  ))
    .map(ladderToken)
    .map(({ chainId, address, ...token }): Token => {
      const wireAddress = sendable(token.wireAddress)
      return {
        chainId,
        token: { address, wireAddress },
        ...unsupportedAddress("token", wireAddress, "core.discount_factors"),
      }
    })
  const [firstSubaccount] = indebted
  const [firstToken] = tokens
  if (firstSubaccount === undefined) return []
  if (firstToken === undefined) {
    const none = { chainId: 0, token: { address: "-", wireAddress: "-" } }
    const subject = { subaccount: firstSubaccount.subject, ...none }
    return [{ entity: "-", subject, unsupported: NO_LADDER }]
  }
  // An unsupported address is recorded once, not for every pair it is part of.
  return indebted
    .flatMap(({ entity, subject: subaccount, ...rest }): ReadonlyArray<Exposure> =>
      isSupported(rest)
        ? tokens.filter(isSupported).map((token) => ({
            entity: `${entity} ${keyOf(token)}`,
            subject: { subaccount, ...token },
          }))
        : [{ ...rest, entity, subject: { subaccount, ...firstToken } }],
    )
    .concat(
      tokens
        .filter((token) => !isSupported(token))
        .map((token) => ({
          ...token,
          entity: keyOf(token),
          subject: { subaccount: firstSubaccount.subject, ...token },
        })),
    )
})
