// Which vault `--vault` means where a name will do: its address, in the spelling the tables have.
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { didYouMean } from "../../config/nearest.ts"
import { parseAddress } from "../../domain/address.ts"
import type { PublishedCopy } from "../../load/PublishedCopy.ts"
import { NotThere } from "../NotThere.ts"

/** Fails where no vault is called that, or several are. A name is matched as the service spells it. */
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
  return yield* new NotThere(
    address === undefined
      ? {
          why: `${text} is no address, and no vault is named that${didYouMean(text, names) || "."}`,
          advice:
            '`vaulthouse query "select chain_id, vault_address, vault_name from mart.vault_latest"` lists the vaults.',
        }
      : {
          why: `${found.length} vaults are named ${text}: ${found.join(", ")}.`,
          advice: `Name one by its address, for example --vault ${address}.`,
        },
  )
})
