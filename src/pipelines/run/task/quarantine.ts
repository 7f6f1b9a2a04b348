// Closes quarantine entries that a later response of their partition has resolved.
import { closeResolved } from "../../../load/state/quarantine.ts"
import { withFixedWindows } from "../../pipelines.ts"

export const closeQuarantine = (runId: string) => closeResolved(runId, withFixedWindows)
