// An OpenTelemetry collector on loopback that keeps what it receives by OTLP in JSON.
import { createServer, type IncomingHttpHeaders } from "node:http"
import type { AddressInfo } from "node:net"

interface Value {
  readonly stringValue?: string
  readonly intValue?: string | number
  readonly doubleValue?: number
  readonly boolValue?: boolean
}

type Attributes = ReadonlyArray<{ readonly key: string; readonly value: Value }>

const valueOf = ({ stringValue, intValue, doubleValue, boolValue }: Value) =>
  stringValue ?? (intValue === undefined ? undefined : Number(intValue)) ?? doubleValue ?? boolValue

const record = (attributes: Attributes) =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, valueOf(value)]))

export interface Span {
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId?: string
  readonly name: string
  readonly attributes: Readonly<Record<string, unknown>>
  /** 1: ok, 2: error. */
  readonly status: { readonly code: number; readonly message?: string }
}

export interface LogRecord {
  readonly text: unknown
  readonly level: string
  readonly traceId: string | undefined
  readonly attributes: Readonly<Record<string, unknown>>
}

interface Metric {
  readonly name: string
  readonly sum?: { readonly dataPoints: ReadonlyArray<Point> }
  readonly gauge?: { readonly dataPoints: ReadonlyArray<Point> }
}

interface Point {
  readonly attributes: Attributes
  /** Text where JSON has no such number. */
  readonly asDouble: number | string
}

interface Body {
  readonly resourceSpans?: ReadonlyArray<{
    readonly resource: { readonly attributes: Attributes }
    readonly scopeSpans: ReadonlyArray<{
      readonly spans: ReadonlyArray<Omit<Span, "attributes"> & { readonly attributes: Attributes }>
    }>
  }>
  readonly resourceMetrics?: ReadonlyArray<{
    readonly scopeMetrics: ReadonlyArray<{ readonly metrics: ReadonlyArray<Metric> }>
  }>
  readonly resourceLogs?: ReadonlyArray<{
    readonly scopeLogs: ReadonlyArray<{
      readonly logRecords: ReadonlyArray<{
        readonly body: Value
        readonly severityText: string
        readonly traceId?: string
        readonly attributes: Attributes
      }>
    }>
  }>
}

export class Collector {
  readonly bodies: Array<string> = []
  readonly headers: Array<IncomingHttpHeaders> = []
  private readonly parsed: Array<Body> = []

  receive(body: string, headers: IncomingHttpHeaders): void {
    this.bodies.push(body)
    this.headers.push(headers)
    if (headers["content-type"] === "application/json") this.parsed.push(JSON.parse(body) as Body)
  }

  get resource(): Readonly<Record<string, unknown>> {
    const [first] = this.parsed.flatMap(({ resourceSpans = [] }) => resourceSpans)
    return record(first?.resource.attributes ?? [])
  }

  get spans(): ReadonlyArray<Span> {
    return this.parsed
      .flatMap(({ resourceSpans = [] }) => resourceSpans)
      .flatMap(({ scopeSpans }) => scopeSpans)
      .flatMap(({ spans }) => spans)
      .map((span) => ({ ...span, attributes: record(span.attributes) }))
  }

  get logs(): ReadonlyArray<LogRecord> {
    return this.parsed
      .flatMap(({ resourceLogs = [] }) => resourceLogs)
      .flatMap(({ scopeLogs }) => scopeLogs)
      .flatMap(({ logRecords }) => logRecords)
      .map(({ body, severityText, traceId, attributes }) => ({
        text: valueOf(body),
        level: severityText,
        traceId,
        attributes: record(attributes),
      }))
  }

  /** The newest value of each series, by `name{label="value"}` with sorted labels. */
  get metrics(): ReadonlyMap<string, number> {
    const values = new Map<string, number>()
    const all = this.parsed
      .flatMap(({ resourceMetrics = [] }) => resourceMetrics)
      .flatMap(({ scopeMetrics }) => scopeMetrics)
      .flatMap(({ metrics }) => metrics)
    for (const { name, sum, gauge } of all) {
      for (const { attributes, asDouble } of (sum ?? gauge)?.dataPoints ?? []) {
        values.set(seriesName(name, record(attributes)), Number(asDouble))
      }
    }
    return values
  }
}

export const seriesName = (name: string, labels: Readonly<Record<string, unknown>>): string => {
  const sorted = Object.entries(labels).toSorted(([one], [other]) => (one < other ? -1 : 1))
  return `${name}{${sorted.map(([label, value]) => `${label}="${String(value)}"`).join(",")}}`
}

/** Responds to every request with `status`, and `location` where that is a redirect. */
export const startCollector = async (status = 200, location?: string) => {
  const collector = new Collector()
  const server = createServer((request, response) => {
    const chunks: Array<Buffer> = []
    request.on("data", (chunk: Buffer) => chunks.push(chunk))
    request.on("end", () => {
      collector.receive(Buffer.concat(chunks).toString(), request.headers)
      const where = location === undefined ? {} : { location }
      response.writeHead(status, { "content-type": "application/json", ...where }).end("{}")
    })
  })
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening))
  const { port } = server.address() as AddressInfo
  const close = () =>
    new Promise<void>((closed) => {
      server.closeAllConnections()
      server.close(() => closed())
    })
  return { collector, url: `http://127.0.0.1:${port}`, close }
}
