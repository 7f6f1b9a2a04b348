// What a run is asked for where nobody says otherwise: the defaults of the settings.
import { settings } from "../config/settings.ts"
import type { RunSettings } from "./Pipeline.ts"

export const defaultRunSettings: RunSettings = {
  since: undefined,
  until: undefined,
  full: false,
  fillGaps: false,
  overlapDays: settings.overlapDays.default,
  timeFields: settings.timeFields.default,
  apySeries: settings.apySeries.default,
  auditFullScanDays: settings.auditFullScanDays.default,
  scenarios: [],
  performanceFeeRanges: settings.performanceFeeRanges.default,
  revertReasons: settings.revertReasons.default,
}
