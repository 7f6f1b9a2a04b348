// core.oracle_classification: how each position of a vault was priced on each day.
import { field, json, spellings } from "../../../domain/table/column.ts"
import type { Table } from "../../../domain/table/table.ts"
import { address, id } from "../../fields/readers.ts"
import { extra, vaultAddress, vaultChainId, wireSpelling } from "../shared.ts"

const tokenAddressNames = ["token_address", "address"]

// "Per position/token: pricing class (Primary, Secondary Market or CeFi) and USD value" (§2.9).
const places = ["positions", "tokens", "classifications", "classification"]
const requires = [["pricing_class"]]

// The three classes as the document spells them, and as the names of fields.
const classes = [
  "Primary",
  "Secondary Market",
  "CeFi",
  ...spellings("primary", "secondary_market", "cefi"),
]
const byClass = {
  name: "lists of positions by pricing class",
  holds: "lists",
  key: "pricing_class",
  keys: classes,
  requires: [["position", "token_symbol", "token_address", "usd_value"]],
} as const

export const oracleClassification: Table = {
  schema: "core",
  name: "oracle_classification",
  mode: "history",
  grain: "vault, day and position",
  comment:
    "Pricing class of each position or token by day, from the newest daily snapshot. Reading a day again replaces its set of positions; a position that it no longer has moves to the versions, unless the response has warnings. core.observation_warnings names what could not be resolved.",
  source: "GET /platform/oracle_classification/{vault_address} (§4.1, §2.9)",
  key: ["vault_address", "chain_id", "date", "position_id"],
  mergeKey: ["vault_address", "chain_id", "date"],
  time: "date",
  shapes: [
    { name: "a list of positions with a pricing class", holds: "list", in: places, requires },
    { name: "a map of such positions", holds: "map", in: places, key: "position", requires },
    { ...byClass, in: places },
    byClass,
  ],
  columns: [
    vaultAddress,
    vaultChainId,
    field.date("date", "Day of the snapshot; the day of the response if it names none", {
      names: ["snapshot_date", "date", "day", "as_of"],
      required: true,
    }),
    field.text(
      "position_id",
      "The record's id, else its position and token, else a hash of it; `#2` and so on for repetitions",
      { names: ["id", "position_id"], read: id, required: true },
    ),
    field.text("position", "Name of the position", {
      names: ["position", "position_name", "name", "label"],
    }),
    field.text("token_symbol", "Symbol of the token", {
      names: ["token_symbol", "symbol", "token", "asset"],
    }),
    field.text("token_address", "Address of the token; EVM in lower case, others unchanged", {
      names: tokenAddressNames,
      read: address,
    }),
    wireSpelling("token_address", tokenAddressNames),
    field.text("pricing_class", "Primary, Secondary Market or CeFi, as sent", {
      names: ["pricing_class", "classification"],
    }),
    field.double("usd_value", "Value of the position", {
      names: ["usd_value", "value_usd", "usd", "value"],
      unit: "USD",
    }),
    extra,
    json(
      "snapshot_extra",
      "Fields of the response outside its records; the same in all rows of a day",
    ),
  ],
  example:
    "select date, pricing_class, sum(usd_value) as usd_value from core.oracle_classification group by all order by date desc",
}
