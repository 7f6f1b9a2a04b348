// core.collateral_simulation_tokens: the tokens of each collateral simulation.
import type { Table } from "../../../domain/table.ts"
import { extra } from "../shared.ts"

export const collateralSimulationTokens: Table = {
  schema: "core",
  name: "collateral_simulation_tokens",
  mode: "history",
  grain: "scenario, observation and token",
  comment: "The breakdown by token of core.collateral_simulations.",
  source: "POST /risk/collateral_simulation (§4.4, §2.6)",
  key: ["scenario", "observed_at", "ordinal"],
  time: "observed_at",
  columns: [
    { name: "scenario", type: "text", required: true, comment: "Name of the scenario" },
    {
      name: "observed_at",
      type: "timestamp",
      unit: "UTC",
      required: true,
      comment: "When the service answered",
    },
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
    extra,
  ],
  example:
    "select scenario, symbol, effective_discount_factor, required_collateral_usd from core.collateral_simulation_tokens order by observed_at desc, ordinal limit 20",
}
