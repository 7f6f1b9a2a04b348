// The command line of the simulator as data, so that another command can offer the same flags.
import type { OptionsPatch } from "./options.ts"
import { defaultOptions } from "./options.ts"

export interface SimulatorFlag {
  readonly name: string
  readonly type: "string" | "boolean"
  readonly default: string | boolean | undefined
  readonly describe: string
}

const flag = (name: string, value: SimulatorFlag["default"], describe: string): SimulatorFlag => ({
  name,
  type: typeof value === "boolean" ? "boolean" : "string",
  default: value,
  describe,
})

const d = defaultOptions

/** Numbers are strings here, as `parseArgs` has no others; `optionsFromFlags` reads them. */
export const simulatorFlags: readonly SimulatorFlag[] = [
  flag("host", "127.0.0.1", "Address to listen on"),
  flag("port", "8080", "Port to listen on; 0 takes a free one"),
  flag("seed", `${d.seed}`, "Seed of the generated data; each seed gives another platform"),
  flag("vaults", `${d.vaults}`, "How many vaults"),
  flag("days", `${d.days}`, "Length of history in days"),
  flag("now", undefined, "End of history, an ISO instant (default: this hour)"),
  flag("start", undefined, "Start of history, an ISO instant (default: now minus days)"),
  flag("revision", `${d.revision}`, "How many times recent history was restated"),
  flag("pnl-every-hours", `${d.pnlEveryHours}`, "Hours between two PnL snapshots"),
  flag("subaccounts", `${d.subaccounts}`, "Size of the subaccount directory"),
  flag("platform-segment", d.platformSegment, "The word in /platform/... paths"),
  flag("wire-case", d.wireCase, "Spelling of query names: camel or snake"),
  flag("time-field", d.timeField, "Name of the time field of ratio and PnL points"),
  flag("time-format", d.timeFormat, "iso, iso-offset, naive, epoch-seconds or epoch-millis"),
  flag("address-case", d.addressCase, "Letter case of EVM addresses: lower, upper or mixed"),
  flag("wrap-apy-chart", d.wrapApyChart, "Send the APY series as {data: {labels, values}}"),
  flag("added-fields", d.addedFields, "Add undocumented fields to every record"),
  flag("big-integers", d.bigIntegers, "Raw token amounts as JSON numbers beyond 2^53"),
  flag("latency-ms", `${d.latencyMs}`, "Delay of every response, in milliseconds"),
  flag(
    "rate-limit",
    undefined,
    "Requests per second on public transparency endpoints (default: no limit)",
  ),
  flag("burst", "10", "Requests allowed at once under --rate-limit"),
  flag("retry-after", "seconds", "How a 429 says when to retry: seconds, date, headers or none"),
  flag("options", undefined, "Any further options, as JSON, e.g. the faults"),
]

export type FlagValues = Readonly<Record<string, string | number | boolean | undefined>>

const camel = (name: string): string =>
  name.replaceAll(/-([a-z])/g, (_, letter: string) => letter.toUpperCase())

const notOptions = new Set(["host", "port", "rate-limit", "burst", "retry-after", "options"])

const allowedValues: Readonly<Record<string, readonly string[]>> = {
  "wire-case": ["camel", "snake"],
  "time-format": ["iso", "iso-offset", "naive", "epoch-seconds", "epoch-millis"],
  "address-case": ["lower", "upper", "mixed"],
  "retry-after": ["seconds", "date", "headers", "none"],
}

const numberFrom = (name: string, value: string | number | boolean): number => {
  const number = typeof value === "string" && value.trim() === "" ? Number.NaN : Number(value)
  if (!Number.isFinite(number)) throw new RangeError(`--${name} ${value} is not a number`)
  return number
}

/** Makes options from flag values: strings, or numbers from another parser. */
export const optionsFromFlags = (values: FlagValues): OptionsPatch => {
  const options: Record<string, unknown> = {}
  for (const { name } of simulatorFlags) {
    const value = values[name] ?? values[camel(name)]
    if (value === undefined) continue
    const allowed = allowedValues[name]
    if (allowed !== undefined && !allowed.includes(String(value))) {
      throw new RangeError(`--${name} ${value} is not one of ${allowed.join(", ")}`)
    }
    if (notOptions.has(name)) continue
    const option = camel(name)
    const isNumber = typeof d[option as keyof typeof d] === "number"
    options[option] = isNumber ? numberFrom(name, value) : value
  }
  if (values["rate-limit"] !== undefined) {
    options["rateLimit"] = {
      requestsPerSecond: numberFrom("rate-limit", values["rate-limit"]),
      burst: numberFrom("burst", values["burst"] ?? 10),
      retryAfter: values["retry-after"] ?? "seconds",
    }
  }
  const further = values["options"]
  const more = typeof further === "string" ? optionsFrom(further) : {}
  return { ...(options as OptionsPatch), ...more }
}

const optionsFrom = (text: string): OptionsPatch => {
  let options: unknown
  try {
    options = JSON.parse(text)
  } catch (cause) {
    throw new RangeError(`--options is not JSON: ${(cause as Error).message}`, { cause })
  }
  if (typeof options !== "object" || options === null || Array.isArray(options)) {
    throw new RangeError(`--options ${text} is not an object`)
  }
  return options
}

export const listenFromFlags = (values: FlagValues): { host: string; port: number } => ({
  host: String(values["host"] ?? "127.0.0.1"),
  port: numberFrom("port", values["port"] ?? 8080),
})
