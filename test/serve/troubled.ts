// A published copy in which vaults are in trouble in seven ways, each known in words, and whose clock stands still.
import { join } from "node:path"
import * as Effect from "effect/Effect"
import { stopClock } from "../../demo/stoppedClock.ts"
import { readCurrent } from "../../src/load/published/publishedFiles.ts"
import { publishAnyway } from "../../src/pipelines/publication/publish.ts"
import { change, queryFile } from "../support/warehouseRun.ts"
import { DuckDBInstance } from "@duckdb/node-api"

/** What is done to a vault, and what the page must say of it. `now` is the instant at which the clock stands still,
 * `bufferShare` the buffer over the net value. */
const troubles: ReadonlyArray<
  readonly [
    words: string,
    change: (vault: string, now: string, bufferShare: number) => ReadonlyArray<string>,
  ]
> = [
  [
    "below par for 5 h (ratio 0.9999)",
    (vault, now) => [
      `update core.ratio_history set adjusted_redeem_ratio = 1.001
       where vault_address = '${vault}' and observed_at > timestamp '${now}' - interval 3 day`,
      `update core.ratio_history set adjusted_redeem_ratio = 0.999996 where vault_address = '${vault}' and observed_at in (
         select observed_at from core.ratio_history where vault_address = '${vault}' order by observed_at desc limit 5)`,
    ],
  ],
  [
    "withdrawal queue larger than the buffer (covers 99 %)",
    (vault, _now, bufferShare) => [
      `update core.withdrawal_summaries set total_withdrawals = total_assets * ${bufferShare / 0.997}
       where vault_address = '${vault}'`,
    ],
  ],
  [
    "timelock can be executed tomorrow at 09:30 UTC",
    (vault, now) => [
      `update core.timelocks set status = 'scheduled', executable_at = timestamp '${now}'::date + interval 2010 minute
       where is_current and vault_address = '${vault}'`,
    ],
  ],
  [
    "APY (smoothed, 7d) series stale for",
    (vault, now) => [
      `delete from core.apy_history
       where vault_address = '${vault}' and is_smoothed and date > timestamp '${now}' - interval 3 day`,
    ],
  ],
  [
    "below its highest ratio of 90 days",
    (vault, now) => [
      `update core.ratio_history set adjusted_redeem_ratio = 1.09
       where vault_address = '${vault}' and observed_at < timestamp '${now}' - interval 5 day`,
    ],
  ],
  [
    "health factor 0.99 (critical)",
    (vault) => [
      `update core.health_factors set health_factor = 0.9996, total_loan = 100000, total_collateral = 99960
       where subaccount_address in (select subaccount_address from core.vault_subaccounts where vault_address = '${vault}')`,
    ],
  ],
  [
    "1 timelock can be executed since 2026-05-30 09:30 UTC",
    (vault, now) => [
      `update core.timelocks set executable_at = timestamp '${now}'::date - interval 2310 minute
       where is_current and timelock_id = (select min(timelock_id) from core.timelocks where vault_address = '${vault}')`,
    ],
  ],
]

export interface Troubled {
  readonly vaultName: string
  readonly words: string
}

/** Changes the warehouse, publishes it and stops the clock of the copy. */
export const withTroubles = Effect.fnUntraced(function* (dataDir: string, now: string) {
  const vaults = yield* queryFile(
    join(dataDir, "published/vaulthouse.duckdb"),
    `select vault_address, vault_name, buffer_share from mart.vault_latest
     where collateral_ratio is not null and nav_usd is not null and status = 'active'
       and pending_withdrawal_requests > 0 and linked_subaccounts > 0 and scheduled_timelocks > 0
     order by vault_name`,
  )
  const spread = troubles.map(([words, changes], at) => {
    const vault = vaults[at % vaults.length] ?? {}
    return {
      vaultName: String(vault["vault_name"]),
      words,
      changes: changes(String(vault["vault_address"]), now, Number(vault["buffer_share"])),
    }
  })
  yield* change(
    dataDir,
    "update core.health_factors set health_factor = 1.6 + hash(subaccount_address) % 100 / 50.0",
    "update core.subaccount_summaries set health_factor = 2",
    "update core.timelocks set executable_at = executable_at + interval 60 day where status = 'scheduled'",
    `update core.ratio_history set adjusted_redeem_ratio = 1.004 + (adjusted_redeem_ratio - 1) / 4`,
    ...spread.flatMap(({ changes }) => changes),
    "delete from ops.stored_marts",
  )
  yield* publishAnyway({ dataDir, rebuildAll: false, parquet: undefined })
  yield* Effect.promise(async () => {
    const current = await readCurrent(dataDir)
    const instance = await DuckDBInstance.create(join(dataDir, "published", String(current?.file)))
    const connection = await instance.connect()
    await stopClock(connection, "mart", now)
    connection.closeSync()
    instance.closeSync()
  })
  return spread satisfies ReadonlyArray<Troubled>
})
