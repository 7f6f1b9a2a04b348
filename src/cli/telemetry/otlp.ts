// Exports telemetry over OTLP. A run goes on whatever the collector does: only the first failed export is a warning.
import * as Cause from "effect/Cause"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as FetchHttpClient from "effect/http/FetchHttpClient"
import * as HttpClient from "effect/http/HttpClient"
import * as UrlParams from "effect/http/UrlParams"
import * as Layer from "effect/Layer"
import * as OtlpExporter from "effect/observability/OtlpExporter"
import * as OtlpLogger from "effect/observability/OtlpLogger"
import * as OtlpMetrics from "effect/observability/OtlpMetrics"
import * as OtlpSerialization from "effect/observability/OtlpSerialization"
import * as OtlpTracer from "effect/observability/OtlpTracer"
import * as Schedule from "effect/Schedule"
import { type Otel, readOtel, type SignalExport } from "../../config/environment/otel.ts"
import { IsTraced } from "../../domain/run/span.ts"
import { setGauges } from "../../pipelines/readers/problems/gauges.ts"
import { errorText } from "../parse/errors.ts"
import { warn } from "../terminal/complaints.ts"
import { copyError } from "../terminal/output.ts"
import { version } from "../execute/version.ts"
import { logLines } from "./logLines.ts"

// How long a collector that does not respond may delay the end of a command.
const LAST_EXPORT = Duration.seconds(3)
const SHUTDOWN = Duration.millis(100)

export const withOtlp = Effect.fnUntraced(function* <A, E, R>(
  dataDir: string,
  program: Effect.Effect<A, E, R>,
) {
  const otel = yield* readOtel()
  if (otel === undefined) return yield* program
  const interval = Duration.seconds(otel.metricIntervalSeconds)
  const warnAbout = warnOnce()
  const isMeasured = otel.signals.metrics !== undefined
  return yield* Effect.gen(function* () {
    const { flush } = yield* OtlpExporter.Flusher
    const gauges = isMeasured ? setGauges(dataDir) : Effect.void
    if (isMeasured) {
      yield* Effect.forkScoped(Effect.repeat(gauges, Schedule.spaced(interval)))
    }
    const lastExport = Effect.andThen(
      gauges,
      Effect.timeoutOrElse(flush, {
        duration: LAST_EXPORT,
        orElse: () => warnAbout(`no response within ${Duration.toSeconds(LAST_EXPORT)} s`),
      }),
    )
    return yield* program.pipe(
      Effect.tapCause(copyFailure),
      Effect.ensuring(Effect.ignore(Effect.interruptible(lastExport))),
    )
  }).pipe(
    Effect.provideService(IsTraced, otel.signals.traces !== undefined),
    Effect.provide(exporters(otel, interval, warnAbout)),
    Effect.scoped,
    // What Effect logs of an export that failed, at the end too, names its address.
    Effect.provideService(UrlParams.CurrentRedactedNames, [/^/]),
  )
})

/** The command prints it at its end, when nothing is exported any more. */
const copyFailure = (cause: Cause.Cause<unknown>) =>
  Cause.hasInterruptsOnly(cause)
    ? Effect.void
    : Effect.sync(() => copyError(errorText(Cause.squash(cause)), "Error"))

const exporters = (otel: Otel, interval: Duration.Duration, warnAbout: Warn) => {
  const { traces, metrics, logs } = otel.signals
  const optionsOf = ({ url, headers, compression }: SignalExport) => ({
    url,
    headers,
    compression,
    shutdownTimeout: SHUTDOWN,
    resource: {
      serviceName: otel.serviceName ?? "vaulthouse",
      serviceVersion: version,
      attributes: otel.attributes,
    },
  })
  return Layer.mergeAll(
    OtlpExporter.layerFlusher,
    exporting(traces, (to) => OtlpTracer.layer(optionsOf(to))),
    exporting(metrics, (to) =>
      OtlpMetrics.layer({
        ...optionsOf(to),
        exportInterval: interval,
        temporality: otel.temporality,
      }),
    ),
    exporting(logs, (to) =>
      Layer.effectDiscard(Effect.flatMap(OtlpLogger.make(optionsOf(to)), logLines)).pipe(
        Layer.provideMerge(OtlpExporter.layerFlusher),
      ),
    ),
  ).pipe(Layer.provide(clientOf(warnAbout)))
}

const exporting = (
  to: SignalExport | undefined,
  layer: (
    to: SignalExport,
  ) => Layer.Layer<
    OtlpExporter.Flusher,
    never,
    HttpClient.HttpClient | OtlpSerialization.OtlpSerialization
  >,
) =>
  to === undefined
    ? Layer.empty
    : layer(to).pipe(
        Layer.provide(
          to.protocol === "http/json"
            ? OtlpSerialization.layerJson
            : OtlpSerialization.layerProtobuf,
        ),
      )

type Warn = (problem: string) => Effect.Effect<void>

const warnOnce = (): Warn => {
  let hasWarned = false
  return (problem) =>
    Effect.sync(() => {
      if (hasWarned) return
      hasWarned = true
      warn(`OpenTelemetry: ${problem}; the run goes on, but its telemetry is not complete`)
    })
}

/** It may hold a key. */
const withoutQuery = (url: string): string => url.replace(/[?#].*$/, "")

/** Follows no redirect, which would take the headers to another origin. */
const clientOf = (warnAbout: Warn) =>
  Layer.effect(
    HttpClient.HttpClient,
    Effect.map(HttpClient.HttpClient, (client) =>
      client.pipe(
        HttpClient.tap(({ status, request: { url } }) =>
          status >= 200 && status < 300
            ? Effect.void
            : warnAbout(`${withoutQuery(url)} responds with HTTP ${status}`),
        ),
        HttpClient.tapError(({ request: { url } }) =>
          warnAbout(`${withoutQuery(url)} can't be reached`),
        ),
      ),
    ),
  ).pipe(
    Layer.provide(FetchHttpClient.layer),
    Layer.provide(Layer.succeed(FetchHttpClient.RequestInit, { redirect: "manual" })),
  )
