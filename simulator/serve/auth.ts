// API-key authentication and the tiers of §5. The document shows no status codes: ours are 401
// without a valid key and 403 with one that is not enough.
import type { Role, SimulatorOptions, Tier } from "../options.ts"
import { ApiError } from "./errors.ts"

const enough: Readonly<Record<Exclude<Tier, "public">, readonly Role[]>> = {
  key: ["user", "curator", "admin"],
  curator: ["curator", "admin"],
  admin: ["admin"],
}

/** The role of the key, once it is found sufficient for the tier. */
export const authorise = (
  keys: SimulatorOptions["keys"],
  key: string | undefined,
  tier: Tier,
): Role | undefined => {
  const role = key !== undefined && Object.hasOwn(keys, key) ? keys[key] : undefined
  if (tier === "public") return role
  if (key === undefined) throw new ApiError(401, "API key required")
  if (role === undefined) throw new ApiError(401, "Invalid API key")
  if (!enough[tier].includes(role)) throw new ApiError(403, "API key lacks the required scope")
  return role
}
