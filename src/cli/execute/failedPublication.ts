// What a command says where PostgreSQL does not hold what it published.
import type { Published } from "../../pipelines/publication/publish.ts"
import { complain } from "../terminal/complaints.ts"

/** Whether publishing failed; prints why. */
export const hasFailedPublication = ({ failedPublication }: Published): boolean => {
  if (failedPublication === undefined) return false
  complain(`vaulthouse: ${failedPublication}`, "warning")
  return true
}
