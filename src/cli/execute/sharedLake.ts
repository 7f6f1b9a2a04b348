// The lake that workers share, from the settings.
import * as Effect from "effect/Effect"
import type { Config } from "../../config/Config.ts"
import { originText } from "../../config/settings/origin.ts"
import { lakeCatalog } from "../../pipelines/publication/warehouse.ts"
import { wrongUse } from "../parse/errors.ts"

/** Fails without a lake. `option` is the command or flag that needs it. */
export const sharedLake = Effect.fnUntraced(function* (
  { settings: { warehouse, workerLease }, originOf }: Config,
  option: string,
) {
  if (warehouse === "file") {
    return yield* wrongUse(
      `\`${option}\` is for a lake that several processes share, but the setting \`warehouse\` is \`file\` (${originText(originOf("warehouse"))}).`,
      "`vaulthouse sync` reads into a file by itself. For a lake, set `warehouse: ducklake:postgres://…` on every machine.",
    )
  }
  return { catalog: yield* lakeCatalog(warehouse), leaseSeconds: workerLease }
})
