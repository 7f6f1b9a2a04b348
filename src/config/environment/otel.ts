// The standard variables of OpenTelemetry (OTEL_…): which signals are exported, where to, and how.
import * as Effect from "effect/Effect"
import { ConfigError, type ConfigProblem } from "../ConfigError.ts"
import { isWithSecret } from "../secrets/secretUrl.ts"

type Environment = Readonly<Record<string, string | undefined>>

const signals = ["traces", "metrics", "logs"] as const
export type Signal = (typeof signals)[number]

const protocols = ["http/protobuf", "http/json"] as const

export interface SignalExport {
  readonly url: string
  /** Headers may contain secrets: no message shows them. */
  readonly headers: Readonly<Record<string, string>>
  readonly protocol: (typeof protocols)[number]
  readonly compression: "gzip" | "none"
}

export interface Otel {
  readonly serviceName: string | undefined
  readonly attributes: Readonly<Record<string, string>>
  /** A signal that is not exported is absent. */
  readonly signals: Readonly<Partial<Record<Signal, SignalExport>>>
  readonly metricIntervalSeconds: number
  readonly temporality: "cumulative" | "delta"
}

/** Whether any variable OTEL_… is set. */
export const hasOtel = (environment: Environment = process.env): boolean =>
  Object.keys(environment).some((name) => name.startsWith("OTEL_"))

const ENDPOINT = "http://localhost:4318"
const METRIC_INTERVAL_MILLIS = 60_000

/** `undefined` if nothing is exported. */
export const readOtel = (
  environment: Environment = process.env,
): Effect.Effect<Otel | undefined, ConfigError> =>
  Effect.suspend(() => {
    const reader = new Reader(environment)
    if (reader.choice("OTEL_SDK_DISABLED", ["false", "true"]) === "true") {
      return Effect.succeed(undefined)
    }
    const exported = signals.flatMap((signal) => {
      const found = reader.signal(signal)
      return found === undefined ? [] : [[signal, found] as const]
    })
    if (exported.length === 0 && reader.problems.length === 0) return Effect.succeed(undefined)
    const { "service.name": name, ...attributes } = reader.pairs("OTEL_RESOURCE_ATTRIBUTES")
    const otel = {
      serviceName: reader.text("OTEL_SERVICE_NAME") ?? name,
      attributes,
      signals: Object.fromEntries(exported),
      metricIntervalSeconds: reader.millis("OTEL_METRIC_EXPORT_INTERVAL") / 1000,
      temporality: reader.choice("OTEL_EXPORTER_OTLP_METRICS_TEMPORALITY_PREFERENCE", [
        "cumulative",
        "delta",
      ]),
    }
    return reader.problems.length > 0
      ? Effect.fail(new ConfigError({ problems: reader.problems }))
      : Effect.succeed(otel)
  })

/** The address of a path below another; a query, which may hold a key, stays at its end. */
const below = (address: string, path: string): string => {
  const url = new URL(address)
  url.pathname = `${url.pathname.replace(/\/$/, "")}/${path}`
  return url.href
}

/** Reads variables and collects their problems; an empty variable counts as not set. */
class Reader {
  readonly problems: Array<ConfigProblem> = []
  private readonly environment: Environment

  constructor(environment: Environment) {
    this.environment = environment
  }

  private complain(where: string, detail: string): void {
    if (this.problems.every((problem) => problem.where !== where)) {
      this.problems.push({ where, detail })
    }
  }

  text(...names: ReadonlyArray<string>): string | undefined {
    return names.map((name) => this.environment[name]?.trim()).find((text) => text)
  }

  signal(signal: Signal): SignalExport | undefined {
    const name = signal.toUpperCase()
    const exporter = `OTEL_${name}_EXPORTER`
    const isNamed = this.text(exporter) !== undefined
    if (isNamed && this.choice(exporter, ["otlp", "none"]) === "none") return undefined
    const variables = (suffix: string) =>
      [`OTEL_EXPORTER_OTLP_${name}_${suffix}`, `OTEL_EXPORTER_OTLP_${suffix}`] as const
    const [own, base] = variables("ENDPOINT")
    if (!isNamed && this.text(own, base) === undefined) return undefined
    const given = [own, base].find((variable) => this.text(variable) !== undefined)
    const url = this.url(given)
    const [ownHeaders, headers] = variables("HEADERS")
    return {
      url: given === own ? url : below(url, `v1/${signal}`),
      headers: this.pairs(this.text(ownHeaders) === undefined ? headers : ownHeaders),
      protocol: this.choiceOf(variables("PROTOCOL"), protocols),
      compression: this.choiceOf(variables("COMPRESSION"), ["none", "gzip"]),
    }
  }

  /** The first choice is the default. */
  choice<const A extends string>(name: string, choices: readonly [A, ...ReadonlyArray<A>]): A {
    return this.choiceOf([name], choices)
  }

  choiceOf<const A extends string>(
    names: ReadonlyArray<string>,
    choices: readonly [A, ...ReadonlyArray<A>],
  ): A {
    const name = names.find((each) => this.text(each) !== undefined)
    if (name === undefined) return choices[0]
    const text = this.text(name) ?? ""
    const found = choices.find((choice) => choice === text.toLowerCase())
    if (found === undefined) {
      this.complain(name, `\`${text}\` is not one of ${choices.join(", ")}`)
    }
    return found ?? choices[0]
  }

  millis(name: string): number {
    const text = this.text(name) ?? String(METRIC_INTERVAL_MILLIS)
    if (/^[1-9]\d{0,8}$/.test(text)) return Number(text)
    this.complain(name, `\`${text}\` is not a number of milliseconds`)
    return METRIC_INTERVAL_MILLIS
  }

  /** `name=value,…` with values percent-encoded. They may be secret, so no message repeats them. */
  pairs(name: string): Record<string, string> {
    const texts = (this.text(name) ?? "").split(",").filter((text) => text.trim() !== "")
    try {
      return Object.fromEntries(
        texts.map((text) => {
          const [, key, value = ""] = /^\s*([^=\s]+)\s*=\s*(.*?)\s*$/s.exec(text) ?? []
          if (key === undefined) throw new Error("not name=value")
          return [key, decodeURIComponent(value)]
        }),
      )
    } catch {
      const detail =
        "the value is not of the form name=value,name=value with special characters percent-encoded"
      this.complain(name, detail)
      return {}
    }
  }

  private url(name: string | undefined): string {
    if (name === undefined) return ENDPOINT
    const text = this.text(name) ?? ""
    const url = URL.parse(text)
    if (url !== null && (url.username !== "" || url.password !== "")) {
      const detail =
        "the address contains a user name or password; give them as a header in OTEL_EXPORTER_OTLP_HEADERS"
      this.complain(name, detail)
      return ENDPOINT
    }
    if (url?.protocol === "http:" || url?.protocol === "https:") return url.href
    const shown = isWithSecret(text) ? "the value" : `\`${text}\``
    const detail = `${shown} is not an address such as ${ENDPOINT}`
    this.complain(name, detail)
    return ENDPOINT
  }
}
