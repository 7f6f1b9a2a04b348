// Closes quarantine entries that a later response of their partition has resolved.
import { closeResolved } from "../../../load/state/quarantine.ts"
import { pipelines } from "../../pipelines.ts"

const withFixedWindows = pipelines
  .filter((each) => each.windows !== undefined)
  .map(({ name }) => name)

export const closeQuarantine = (runId: string) => closeResolved(runId, withFixedWindows)
