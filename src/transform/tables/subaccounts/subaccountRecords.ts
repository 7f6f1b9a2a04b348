// Maps the lists of subaccounts (§2.1): the directory, those of the API key's user, and those of a vault.
import type * as Result from "effect/Result"
import type { JsonObject } from "../../../domain/values/json.ts"
import type { VaultRef } from "../../../domain/subject/vault.ts"
import type { Violation } from "../../../domain/wire/violation.ts"
import { mapRecords } from "../../mapRecords.ts"
import { combined, type MappedResponse, type Source } from "../../Source.ts"
import { vaultSubaccounts } from "../curator/vault_subaccounts.ts"
import { mySubaccounts } from "./my_subaccounts.ts"
import { subaccounts } from "./subaccounts.ts"

/** Windows of the directory; `moving` if the list changed while it was read, so that rows may be missing. */
export const directoryWindows = { stable: "directory", moving: "directory, moving" } as const

/** One row for each subaccount on a page of the directory. The pages of a stable window are the whole set. */
export const directoryRows = (
  records: ReadonlyArray<JsonObject>,
  source: Source<null>,
): Result.Result<MappedResponse, Violation> => {
  // If the window is unknown, as in an archive that does not record it, the response counts as the whole set.
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
