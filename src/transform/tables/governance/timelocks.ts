// core.timelocks: timelocked changes of EVM vaults, with a version for each state.
import type * as Result from "effect/Result"
import type { JsonObject } from "../../../domain/values/json.ts"
import type { Table } from "../../../domain/table/table.ts"
import type { VaultRef } from "../../../domain/subject/vault.ts"
import type { Violation } from "../../../domain/wire/violation.ts"
import { combined, type MappedResponse, type Source } from "../../Source.ts"
import { timelockColumns, timelockRows } from "./timelockRecords.ts"
import { envelopeRows } from "../response_envelopes.ts"
import { warningRows } from "../transparency/warnings.ts"

export const timelocks: Table = {
  schema: "core",
  name: "timelocks",
  mode: "slowly_changing",
  grain: "vault, timelock and version",
  comment:
    "Timelocked changes in every status. A failed contract read leaves executable_at null and a warning in core.observation_warnings.",
  source: "GET /platform/governance/{vault_address}/timelocks with status=all (§4.1, §2.9, §3)",
  key: ["chain_id", "vault_address", "timelock_id"],
  columns: timelockColumns({ isDocumented: true }),
  example:
    "select vault_address, labels, executable_at from core.timelocks where is_current and status = 'scheduled' order by executable_at",
}

/** One row for each timelock. */
export const timelocksRows = (
  body: JsonObject & {
    readonly timelocks: ReadonlyArray<JsonObject>
    readonly warnings: ReadonlyArray<unknown>
  },
  source: Source<VaultRef>,
): Result.Result<MappedResponse, Violation> =>
  combined(
    timelockRows(timelocks, body.timelocks, source, (row) => `$.timelocks[${row}]`),
    warningRows("timelocks", body.warnings, source),
    envelopeRows("timelocks", body, ["timelocks", "warnings"], source),
  )
