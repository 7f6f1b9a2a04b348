// Where each signal of OpenTelemetry goes, and with which headers.
import * as Effect from "effect/Effect"
import { expect, it } from "vitest"
import { hasOtel, readOtel } from "../../../src/config/environment/otel.ts"

const otel = (environment: Readonly<Record<string, string>>) =>
  Effect.runSync(readOtel(environment))

const complaint = (environment: Readonly<Record<string, string>>) =>
  Effect.runSync(Effect.flip(readOtel(environment))).message

it("nothing is exported unless an address or an exporter is set", () => {
  expect(otel({})).toBeUndefined()
  expect(otel({ OTEL_SERVICE_NAME: "x", OTEL_EXPORTER_OTLP_ENDPOINT: " " })).toBeUndefined()
  expect(hasOtel({})).toBe(false)
  expect(hasOtel({ OTEL_SDK_DISABLED: "true" })).toBe(true)
  expect(otel({ OTEL_TRACES_EXPORTER: "otlp" })?.signals).toEqual({
    traces: {
      url: "http://localhost:4318/v1/traces",
      headers: {},
      protocol: "http/protobuf",
      compression: "none",
    },
  })
})

it("a signal's own variables come before those of all, and its own address is taken as it is", () => {
  const found = otel({
    OTEL_EXPORTER_OTLP_ENDPOINT: "https://collector.example/otlp/?key=s3cret",
    OTEL_EXPORTER_OTLP_HEADERS: "x-token=of%20all",
    OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: "https://metrics.example/push?key=other",
    OTEL_EXPORTER_OTLP_METRICS_HEADERS: "x-token=own",
    OTEL_EXPORTER_OTLP_METRICS_COMPRESSION: "gzip",
    OTEL_LOGS_EXPORTER: "none",
  })
  expect(found?.signals).toEqual({
    traces: {
      url: "https://collector.example/otlp/v1/traces?key=s3cret",
      headers: { "x-token": "of all" },
      protocol: "http/protobuf",
      compression: "none",
    },
    metrics: {
      url: "https://metrics.example/push?key=other",
      headers: { "x-token": "own" },
      protocol: "http/protobuf",
      compression: "gzip",
    },
  })
})

it.each([
  ["http://s3cret@collector.example", "contains a user name or password"],
  ["http://:s3cret@collector.example", "contains a user name or password"],
  ["me:s3cret@collector.example", "the value is not an address such as"],
  ["collector.example:4318/?key=s3cret", "the value is not an address such as"],
])("the address %s is refused, and not repeated", (url, wanted) => {
  const message = complaint({ OTEL_EXPORTER_OTLP_ENDPOINT: url })
  expect(message).toContain(`OTEL_EXPORTER_OTLP_ENDPOINT: `)
  expect(message).toContain(wanted)
  expect(message).not.toContain("s3cret")
})
