// core.timelocks: timelocked changes of EVM vaults, a version for every change of their state.
import * as Result from "effect/Result"
import type { JsonObject } from "../../../domain/json.ts"
import type { Table } from "../../../domain/table.ts"
import { parseDay } from "../../../domain/time.ts"
import type { VaultRef } from "../../../domain/vault.ts"
import type { Violation } from "../../../domain/violation.ts"
import { type MappedAnswer, type Source, together } from "../../Source.ts"
import { timelockColumns, timelockRows } from "./timelockRecords.ts"
import { warningRows } from "../transparency/warnings.ts"

export const timelocks: Table = {
  schema: "core",
  name: "timelocks",
  mode: "slowly_changing",
  grain: "vault, timelock and version",
  comment:
    "Timelocked changes in every status. Contract reads that failed leave executable_at null and a warning in core.observation_warnings.",
  source: "GET /platform/governance/{vault_address}/timelocks with status=all (§4.1, §2.9, §3)",
  key: ["chain_id", "vault_address", "timelock_id"],
  columns: timelockColumns,
  example:
    "select vault_address, labels, executable_at from core.timelocks where is_current and status = 'scheduled' order by executable_at",
}

/** One row a timelock. Fails where an executable_at is neither null nor an instant. */
export const timelocksRows = (
  answer: {
    readonly timelocks: ReadonlyArray<JsonObject>
    readonly warnings: ReadonlyArray<unknown>
  },
  source: Source<VaultRef>,
): Result.Result<MappedAnswer, Violation> => {
  // A time too far off for the column ("9999-12-31") is one all the same; it goes to `extra`.
  const wrong = answer.timelocks.findIndex(
    ({ executable_at: at }) => at !== null && parseDay(at) === undefined,
  )
  if (wrong >= 0) {
    const at = JSON.stringify(answer.timelocks[wrong]?.["executable_at"]) ?? "missing"
    return Result.fail({
      path: `$.timelocks[${wrong}].executable_at`,
      detail: `is neither null nor an instant: ${at}`,
    })
  }
  return Result.succeed(
    together(
      timelockRows(timelocks, answer.timelocks, source),
      warningRows("timelocks", answer.warnings, source),
    ),
  )
}
