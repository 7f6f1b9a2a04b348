// Every setting of the simulator, with its unit and default. A value of this type with both ends of history fixed
// determines every response; nothing else is kept between requests except request counts and server caches.
import type { AddressCase } from "./values/addresses.ts"
import type { TimeFormat } from "./values/calendar.ts"
import { dayMs, hourMs } from "./values/calendar.ts"
import type { Fault, RateLimit } from "./fault-types.ts"

export type Role = "user" | "curator" | "admin"

/** Who may call a row: no key, any key, a curator's or admin's, or an admin's (§5). */
export type Tier = "public" | "key" | "curator" | "admin"

export interface SimulatorOptions {
  /** Any whole number; another seed is another platform. Default 1. */
  readonly seed: number
  /** How many vaults there are. Default 8. */
  readonly vaults: number
  /** Indexes of further vaults that are `closed`; their history continues. Default []. */
  readonly closedVaults: readonly number[]
  /** Length of history in days, counted back from `now` at start-up. Default 365. */
  readonly days: number
  /** Where history starts: an ISO instant, cut to its UTC day. Default null: `now` − `days`. */
  readonly start: string | null
  /** Where history ends: an ISO instant. Default null: the real time, cut to the hour. */
  readonly now: string | null
  /** How many times recent history was restated. Default 0. Each rise restates 36 h and 5 days. */
  readonly revision: number
  /** Hours between two PnL snapshots. Default 1. */
  readonly pnlEveryHours: number
  /** Size of the subaccount directory. Default 40. */
  readonly subaccounts: number
  /** The word in `/platform/…` paths. Default "platform". */
  readonly platformSegment: string
  /** Accepted API keys and their roles. Default demo-user-key, demo-curator-key, demo-admin-key. */
  readonly keys: Readonly<Record<string, Role>>
  /** Paths the API document does not show; `{address}` is the subaccount. */
  readonly paths: {
    readonly cefiPositions: string
    readonly loans: string
    readonly otcPositions: string
    readonly verify: string
  }
  /** Who may call the rows whose authentication is not shown (§5.8, §5.9). Default "key" each. */
  readonly tiers: { readonly timelockRequests: Tier; readonly performanceFees: Tier }
  /** Spelling of query names: chainId or chain_id. Default "camel". */
  readonly wireCase: "camel" | "snake"
  /** Query names that differ from `wireCase`: client-side name → wire name. Default {}. */
  readonly wireNames: Readonly<Record<string, string>>
  /** Name of the time field of ratio points. Default "timestamp". */
  readonly timeField: string
  /** Name of the time field of PnL snapshots. Default null: as `timeField`. */
  readonly pnlTimeField: string | null
  /** How those two are written. Default "iso". */
  readonly timeFormat: TimeFormat
  /** Names of two lists the document does not give. Default "values" and "entries". */
  readonly seriesNames: { readonly apyValues: string; readonly auditEntries: string }
  /** Names of two fields of a vault record. Default "address" and "chainId". */
  readonly vaultNames: { readonly address: string; readonly chain: string }
  /** Letter case of EVM addresses in responses. Default "lower". */
  readonly addressCase: AddressCase
  /** Send the APY series as {data: {labels, values}}. Default false. */
  readonly wrapApyChart: boolean
  /** Add fields the document does not name to every record, nested ones too. Default false. */
  readonly addedFields: boolean
  /** Send raw token amounts as JSON numbers beyond 2^53, not as strings. Default false. */
  readonly bigIntegers: boolean
  /** Maximum number of ratio points in a response, whatever `limit` is. Default 1000. */
  readonly ratioCap: number
  /** Chains whose RPC can trace a transaction (§4.1); others respond with 501. Default [1, 42161]. */
  readonly tracingChains: readonly number[]
  /** Keep the server caches of §8. Default true. */
  readonly serverCaches: boolean
  /** Delay of every response, in milliseconds. Default 0. */
  readonly latencyMs: number
  /** Additional delay where the document calls a read slow (§4.3, §8), in milliseconds. Default 250. */
  readonly slowReadMs: number
  /** Token bucket over the transparency and PnL rows (§7), or null for none. Default null. */
  readonly rateLimit: RateLimit | null
  /** Misbehaviour on request; the first fault that matches a request applies. Default []. */
  readonly faults: readonly Fault[]
}

export const defaultOptions: SimulatorOptions = {
  seed: 1,
  vaults: 8,
  closedVaults: [],
  days: 365,
  start: null,
  now: null,
  revision: 0,
  pnlEveryHours: 1,
  subaccounts: 40,
  platformSegment: "platform",
  keys: { "demo-user-key": "user", "demo-curator-key": "curator", "demo-admin-key": "admin" },
  paths: {
    cefiPositions: "/subaccount/{address}/cefi_positions",
    loans: "/subaccount/{address}/loans",
    otcPositions: "/subaccount/{address}/otc_positions",
    verify: "/auth/verify",
  },
  tiers: { timelockRequests: "key", performanceFees: "key" },
  wireCase: "camel",
  wireNames: {},
  timeField: "timestamp",
  pnlTimeField: null,
  timeFormat: "iso",
  seriesNames: { apyValues: "values", auditEntries: "entries" },
  vaultNames: { address: "address", chain: "chainId" },
  addressCase: "lower",
  wrapApyChart: false,
  addedFields: false,
  bigIntegers: false,
  ratioCap: 1000,
  tracingChains: [1, 42161],
  serverCaches: true,
  latencyMs: 0,
  slowReadMs: 250,
  rateLimit: null,
  faults: [],
}

/** Some of the options; the members that are records may be given in part. */
export type OptionsPatch = {
  readonly [Name in keyof SimulatorOptions]?: Name extends
    | "paths"
    | "tiers"
    | "seriesNames"
    | "vaultNames"
    ? Partial<SimulatorOptions[Name]>
    : SimulatorOptions[Name]
}

/** Options with both ends of history fixed. */
export type FixedOptions = SimulatorOptions & {
  readonly now: string
  readonly start: string
  /** When each revision was made: the `now` at which `revision` was raised, as ISO instants. */
  readonly revisedAt: readonly string[]
}

const instant = (text: string, name: string): number => {
  const ms = Date.parse(text)
  if (Number.isNaN(ms)) throw new RangeError(`${name} ${text} is not an ISO instant`)
  return ms
}

/**
 * The options with the patch applied. `start` is kept once it is fixed, so that history does not move when `now` does.
 */
export const mergeOptions = (
  from: SimulatorOptions | FixedOptions,
  patch: OptionsPatch,
): FixedOptions => {
  for (const name of Object.keys(patch)) {
    if (!(name in defaultOptions)) throw new RangeError(`there is no option ${name}`)
  }
  const given = Object.fromEntries(Object.entries(patch).filter(([, value]) => value !== undefined))
  const merged: SimulatorOptions = {
    ...from,
    ...given,
    paths: { ...from.paths, ...patch.paths },
    tiers: { ...from.tiers, ...patch.tiers },
    seriesNames: { ...from.seriesNames, ...patch.seriesNames },
    vaultNames: { ...from.vaultNames, ...patch.vaultNames },
  }
  const now = merged.now === null ? Date.now() - (Date.now() % hourMs) : instant(merged.now, "now")
  const start = merged.start === null ? now - merged.days * dayMs : instant(merged.start, "start")
  const at = new Date(now).toISOString()
  // A revision is made at one instant: what it restated stays restated when `now` moves on.
  const before = "revisedAt" in from ? from.revisedAt : []
  const revisedAt = Array.from({ length: merged.revision }, (_, i) => before[i] ?? at)
  return {
    ...merged,
    now: at,
    start: new Date(start - (((start % dayMs) + dayMs) % dayMs)).toISOString(),
    revisedAt,
  }
}
