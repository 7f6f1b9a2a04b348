// The settings that all pipelines of a run are read with: those of the configuration, and the options of the run.
import * as Struct from "effect/Struct"
import { defaultSettings, type Settings } from "../../config/settings/settings.ts"

/** Settings that pipelines read. */
const configured = [
  "overlapDays",
  "timeFields",
  "fields",
  "contracts",
  "apySeries",
  "auditFullScanDays",
  "performanceFeeRanges",
  "revertReasons",
] as const satisfies ReadonlyArray<keyof Settings>

type Configured = Pick<Settings, (typeof configured)[number]>

/** A collateral simulation that every run requests (setting `scenarios`). */
export interface Scenario {
  readonly name: string
  /** Inputs of the collateral simulation, by the names of §2.6. */
  readonly inputs: Readonly<Record<string, unknown>>
}

interface RunOptions {
  /** Days since 1970, inclusive. */
  readonly since: number | undefined
  readonly until: number | undefined
  /** Read everything again, whatever the cursors say. */
  readonly full: boolean
  /** Read again what is missing inside the known range of each series. */
  readonly fillGaps: boolean
  readonly scenarios: ReadonlyArray<Scenario>
}

export interface RunSettings extends Configured, RunOptions {}

const defaultOptions: RunOptions = {
  since: undefined,
  until: undefined,
  full: false,
  fillGaps: false,
  scenarios: [],
}

/** Those of the configuration, without the options of a run. */
export const configuredSettings = (settings: RunSettings): Configured =>
  Struct.pick(settings, configured)

export const runSettings = (
  settings: Configured,
  options: Partial<RunOptions> = {},
): RunSettings => ({
  ...Struct.pick(settings, configured),
  ...defaultOptions,
  ...options,
})

export const defaultRunSettings: RunSettings = runSettings(defaultSettings)
