// The vault and the series that a task or a gap is about: the columns that marts join by.
import { type Column, integer, text } from "../../../domain/table/column.ts"

export const vaultColumns: ReadonlyArray<Column> = [
  text("vault_address", "Vault, as core tables spell it; null if it is not about one vault"),
  integer(
    "chain_id",
    "Its chain, if the service takes chain and address; null if it takes the address alone",
  ),
]

export const seriesColumn: Column = text(
  "series",
  "Series (mart.series); null if it is not about one series",
)
