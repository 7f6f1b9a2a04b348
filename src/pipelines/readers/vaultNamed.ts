// The address that `--vault` means, which may be a vault's name.
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { didYouMean } from "../../config/read/nearest.ts"
import { parseAddress } from "../../domain/values/address.ts"
import { UsageError } from "../../domain/UsageError.ts"
import type { PublishedCopy } from "../../load/published/read/PublishedCopy.ts"

const LIST =
  '`vaulthouse query "select chain_id, vault_address, vault_name from mart.vault_latest"` lists the vaults.'

/** Fails if no vault has the name, or several have. Names are compared exactly. */
export const vaultNamed = Effect.fnUntraced(function* (copy: PublishedCopy, text: string) {
  const parsed = parseAddress(text)
  if (Result.isSuccess(parsed)) return parsed.success.canonical
  const vaults = yield* copy.rows(
    "select distinct vault_name, vault_address from core.vaults where is_current order by all",
    {},
  )
  const found = [
    ...new Set(
      vaults
        .filter(({ vault_name }) => vault_name === text)
        .map(({ vault_address }) => String(vault_address)),
    ),
  ]
  const [address] = found
  if (address !== undefined && found.length === 1) return address
  const names = vaults.flatMap(({ vault_name }) =>
    typeof vault_name === "string" ? [vault_name] : [],
  )
  if (address !== undefined) {
    return yield* new UsageError({
      why: `--vault ${text}: ${found.length} vaults have this name: ${found.join(", ")}.`,
      advice: `Use an address, for example --vault ${address}.`,
    })
  }
  return yield* new UsageError({
    why: text.startsWith("0x")
      ? `--vault ${text} ${parsed.failure}.`
      : `--vault ${text} is neither an address nor the name of a vault${didYouMean(text, names) || "."}`,
    advice: LIST,
  })
})
