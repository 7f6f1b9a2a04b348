// Which vault and series a task or a gap is about: what marts join by, where `entity` only names whom it is of.
import type { Column } from "../../domain/table.ts"

/** Pipelines of series; versions without the columns wrote `address` or `address@chain` into `entity`. */
export const isOfSeries = `pipeline in ('ratio_history', 'pnl_history', 'apy_history', 'allocation_history')`

export const vaultOfEntity: ReadonlyArray<Column> = [
  {
    name: "vault_address",
    type: "text",
    comment: "Vault asked about, as core tables spell it; null where it is not one vault",
    backfill: `case when ${isOfSeries} then nullif(split_part(entity, '@', 1), '-') end`,
  },
  {
    name: "chain_id",
    type: "integer",
    comment:
      "Its chain, where the service is asked by chain and address; null where by the address alone, whatever its chains",
    backfill: `case when ${isOfSeries} then try_cast(nullif(split_part(entity, '@', 2), '') as bigint) end`,
  },
]

/** `apy`: SQL for what the entity's APY series was called, as `smoothed 7d`. */
export const seriesOfEntity = (apy: string): Column => ({
  name: "series",
  type: "text",
  comment: "Series (mart.series) asked for; null where it is none, or all that the pipeline reads",
  backfill: `case pipeline
    when 'ratio_history' then 'ratio'
    when 'pnl_history' then 'pnl'
    when 'allocation_history' then 'allocation'
    when 'apy_history' then 'apy_' || nullif(replace(${apy}, ' ', '_'), '')
  end`,
})
