// What a run is asked for, the same for all its pipelines: settings of the configuration, each declared there
// alone, and what is said for this run.
import * as Struct from "effect/Struct"
import { defaultSettings, type Settings } from "../config/settings.ts"
import type { Scenario } from "./risk/scenarios.ts"

/** Settings that pipelines read. */
const configured = [
  "overlapDays",
  "timeFields",
  "apySeries",
  "auditFullScanDays",
  "performanceFeeRanges",
  "revertReasons",
] as const satisfies ReadonlyArray<keyof Settings>

type Configured = Pick<Settings, (typeof configured)[number]>

interface Asked {
  /** Days since 1970, inclusive. */
  readonly since: number | undefined
  readonly until: number | undefined
  /** Read everything again, whatever the cursors say. */
  readonly full: boolean
  /** Ask again for what is missing inside the known range of each series. */
  readonly fillGaps: boolean
  /** What the file of the setting `scenarios` holds. */
  readonly scenarios: ReadonlyArray<Scenario>
}

export interface RunSettings extends Configured, Asked {}

const nothingSpecial: Asked = {
  since: undefined,
  until: undefined,
  full: false,
  fillGaps: false,
  scenarios: [],
}

export const runSettings = (settings: Configured, asked: Partial<Asked> = {}): RunSettings => ({
  ...Struct.pick(settings, configured),
  ...nothingSpecial,
  ...asked,
})

/** What a run is asked for where nobody says otherwise. */
export const defaultRunSettings: RunSettings = runSettings(defaultSettings)
