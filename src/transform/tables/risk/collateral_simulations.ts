// core.collateral_simulations: what collateral the loans of the configured scenarios would need.
import * as Result from "effect/Result"
import { type JsonObject, stableStringify } from "../../../domain/json.ts"
import type { Table } from "../../../domain/table.ts"
import type { Violation } from "../../../domain/violation.ts"
import { listIn } from "../../fields/nestedRecords.ts"
import { type MappedAnswer, type Source, together } from "../../Source.ts"
import { address, chain, double, mapTaken, served } from "../../fields/takenFields.ts"
import { tokensIn } from "../../fields/tokenBreakdown.ts"
import { extra, reportedAt, reportedTimes } from "../shared.ts"
import { collateralSimulationTokens } from "./collateral_simulation_tokens.ts"

export const collateralSimulations: Table = {
  schema: "core",
  name: "collateral_simulations",
  mode: "slowly_changing",
  grain: "scenario and version",
  comment:
    "Collateral simulations of the scenarios a user has configured (setting `scenarios`), with their inputs. Tokens are in core.collateral_simulation_tokens.",
  source: "POST /risk/collateral_simulation (§4.4, §2.6)",
  key: ["scenario"],
  columns: [
    { name: "scenario", type: "text", required: true, comment: "Name of the scenario" },
    {
      name: "inputs",
      type: "json",
      required: true,
      comment: "What was asked, by the names of §2.6",
    },
    {
      name: "total_required_collateral_usd",
      type: "double",
      unit: "USD",
      required: true,
      fields: ["total_required_collateral_usd"],
      comment: "Collateral the loan needs",
    },
    { name: "total_debt", type: "double", unit: "as served", comment: "Debt with the loan" },
    {
      name: "resulting_health_factor",
      type: "double",
      unit: "ratio",
      comment: "Health factor with the loan and that collateral",
    },
    reportedAt,
    reportedTimes,
    extra,
  ],
  example:
    "select scenario, valid_from, total_required_collateral_usd, resulting_health_factor from core.collateral_simulations where is_current",
}

const breakdownNames = [
  "tokens",
  "collateral_tokens",
  "collateralTokens",
  "breakdown",
  "per_token",
  "perToken",
  "token_breakdown",
  "tokenBreakdown",
]

/** One row, and one for each token of the breakdown. */
export const collateralSimulationRows = (
  record: JsonObject,
  { origin, subject, inputs }: Source<{ readonly name: string }>,
): Result.Result<MappedAnswer, Violation> => {
  const breakdown = listIn(record, breakdownNames, tokensIn)
  const scenario = { scenario: subject.name }
  const whole = mapTaken({
    table: collateralSimulations,
    records: [record],
    origin,
    readings: {
      total_debt: double("total_debt", "total_debt_usd"),
      resulting_health_factor: double("resulting_health_factor", "health_factor"),
    },
    computed: { ...scenario, inputs: stableStringify(inputs) },
    consumed: breakdown === undefined ? [] : [breakdown.field],
  })
  const tokens = breakdown?.records ?? []
  const parts = mapTaken({
    table: collateralSimulationTokens,
    records: tokens,
    origin,
    readings: {
      chain_id: chain("chain_id", "chain", "token_chain"),
      token_address: address("token_address", "address", "token"),
      symbol: served("symbol", "token_symbol"),
      effective_discount_factor: double("effective_discount_factor", "discount_factor"),
      required_collateral_usd: double(
        "required_collateral_usd",
        "required_usd",
        "collateral_usd",
        "amount_usd",
      ),
    },
    computed: { ...scenario, ordinal: tokens.map((_, index) => index + 1) },
  })
  // The tokens of the answer are all there are.
  return Result.succeed(together(whole, { ...parts, rows: { ...parts.rows, scope: scenario } }))
}
