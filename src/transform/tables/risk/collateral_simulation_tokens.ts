// core.collateral_simulation_tokens: the tokens of each collateral simulation.
import type { Table } from "../../../domain/table.ts"
import { extra, reportedAt, reportedTimes } from "../shared.ts"

export const collateralSimulationTokens: Table = {
  schema: "core",
  name: "collateral_simulation_tokens",
  mode: "slowly_changing",
  grain: "scenario, token and version",
  comment: "The breakdown by token of core.collateral_simulations.",
  source: "POST /risk/collateral_simulation (§4.4, §2.6)",
  key: ["scenario", "ordinal"],
  columns: [
    { name: "scenario", type: "text", required: true, comment: "Name of the scenario" },
    {
      name: "ordinal",
      type: "integer",
      required: true,
      comment: "Place of the token in the answer, from 1",
    },
    { name: "chain_id", type: "integer", comment: "The platform's chain id of the token" },
    {
      name: "token_address",
      type: "text",
      comment: "Token; EVM in lower case, others as served",
    },
    { name: "symbol", type: "text", comment: "Symbol of the token" },
    {
      name: "effective_discount_factor",
      type: "double",
      unit: "as served; a fraction where it lies between 0 and 1",
      comment: "Discount factor at the size needed",
    },
    {
      name: "required_collateral_usd",
      type: "double",
      unit: "USD",
      comment: "Collateral needed in this token",
    },
    reportedAt,
    reportedTimes,
    extra,
  ],
  example:
    "select scenario, symbol, effective_discount_factor, required_collateral_usd from core.collateral_simulation_tokens where is_current order by scenario, ordinal",
}
