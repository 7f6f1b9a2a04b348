// core.collateral_simulation_tokens: the tokens of each collateral simulation.
import { field, integer, text } from "../../../domain/table/column.ts"
import type { Table } from "../../../domain/table/table.ts"
import { address, chain } from "../../fields/readers.ts"
import { symbol } from "../positionColumns.ts"
import { restOfRecord } from "../shared.ts"

const places = ["tokens", "collateral_tokens", "breakdown", "token_breakdown", "per_token"]
const requires = [["effective_discount_factor", "required_collateral_usd"]]

export const collateralSimulationTokens: Table = {
  schema: "core",
  name: "collateral_simulation_tokens",
  mode: "slowly_changing",
  grain: "scenario, token and version",
  comment: "The breakdown by token of core.collateral_simulations.",
  source: "POST /risk/collateral_simulation (§4.4, §2.6)",
  key: ["scenario", "ordinal"],
  // "Per-token breakdown with effective discount factors" (§2.6).
  shapes: [
    { name: "a list of tokens with a figure", holds: "list", in: places, requires },
    { name: "a map of such tokens by address", holds: "map", in: places, key: "token", requires },
  ],
  columns: [
    text("scenario", "Name of the scenario", { required: true }),
    integer("ordinal", "Place of the token in the response, from 1", { required: true }),
    field.integer(
      "chain_id",
      "The platform's chain id of the token; if the response has none, that of the scenario's token with this address",
      { names: ["chain_id", "chain", "token_chain"], read: chain },
    ),
    field.text("token_address", "Token; EVM in lower case, others unchanged", {
      names: ["token_address", "address", "token"],
      read: address,
    }),
    symbol,
    field.double("effective_discount_factor", "Discount factor at the size needed", {
      names: ["effective_discount_factor", "discount_factor"],
      unit: "as sent; a fraction if between 0 and 1",
    }),
    field.double("required_collateral_usd", "Collateral needed in this token", {
      names: ["required_collateral_usd", "required_usd"],
      unit: "USD",
    }),
    ...restOfRecord,
  ],
  example:
    "select scenario, symbol, effective_discount_factor, required_collateral_usd from core.collateral_simulation_tokens where is_current order by scenario, ordinal",
}
