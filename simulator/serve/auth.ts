// API-key authentication and the tiers of §5. The document shows no status codes: the simulator gives 401 without a
// valid key and 403 with one that does not suffice.
import type { Role, SimulatorOptions, Tier } from "../options.ts"
import { ApiError } from "../call/errors.ts"

const rolesByTier: Readonly<Record<Exclude<Tier, "public">, readonly Role[]>> = {
  key: ["user", "curator", "admin"],
  curator: ["curator", "admin"],
  admin: ["admin"],
}

/** The role of the key; throws if it does not suffice for the tier. */
export const authorise = (
  keys: SimulatorOptions["keys"],
  key: string | undefined,
  tier: Tier,
): Role | undefined => {
  const role = key !== undefined && Object.hasOwn(keys, key) ? keys[key] : undefined
  if (tier === "public") return role
  if (key === undefined) throw new ApiError(401, "API key required")
  if (role === undefined) throw new ApiError(401, "Invalid API key")
  if (!rolesByTier[tier].includes(role)) throw new ApiError(403, "API key lacks the required scope")
  return role
}
