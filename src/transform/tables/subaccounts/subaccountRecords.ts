// Lists of subaccounts: the directory, the caller's, and a vault's (§2.1).
import type * as Result from "effect/Result"
import type { JsonObject } from "../../../domain/json.ts"
import type { VaultRef } from "../../../domain/vault.ts"
import type { Violation } from "../../../domain/violation.ts"
import { mapRecords } from "../../mapRecords.ts"
import { combined, type MappedResponse, type Source } from "../../Source.ts"
import { vaultSubaccounts } from "../curator/vault_subaccounts.ts"
import { mySubaccounts } from "./my_subaccounts.ts"
import { subaccounts } from "./subaccounts.ts"

/** Windows of the directory: `moving` where the list changed while it was read, so that rows may be missing. */
export const directoryWindows = { stable: "directory", moving: "directory, moving" } as const

/** A page of the directory; the pages of a stable window are the whole set. */
export const directoryRows = (
  records: ReadonlyArray<JsonObject>,
  source: Source<null>,
): Result.Result<MappedResponse, Violation> => {
  // Without a window, as in an archive that does not record it, the response counts as whole.
  const isWhole = source.window === undefined || source.window === directoryWindows.stable
  const set = isWhole ? { mergeKey: {} } : {}
  return combined(mapRecords({ table: subaccounts, records, source, ...set }))
}

export const mySubaccountRows = (
  records: ReadonlyArray<JsonObject>,
  source: Source<null>,
): Result.Result<MappedResponse, Violation> =>
  combined(mapRecords({ table: mySubaccounts, records, source, mergeKey: {} }))

export const vaultSubaccountRows = (
  records: ReadonlyArray<JsonObject>,
  source: Source<VaultRef>,
): Result.Result<MappedResponse, Violation> => {
  const mergeKey = { vault_address: source.subject.address }
  const computed = { ...mergeKey, chain_id: source.subject.chainId }
  return combined(mapRecords({ table: vaultSubaccounts, records, source, computed, mergeKey }))
}
