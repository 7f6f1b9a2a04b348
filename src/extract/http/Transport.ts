// Sends requests to the service. It does not follow redirects, and stops reading a response that exceeds the limit,
// both compressed and decompressed.
import { createGunzip, type Gunzip } from "node:zlib"
import type * as Undici from "@effect/platform-node/Undici"
import * as Context from "effect/Context"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { noProxies, type Proxies, type Proxy, proxyFor } from "../../domain/wire/proxies.ts"
import { makeDispatcher } from "./dispatcher.ts"

export interface OutgoingRequest {
  readonly method: "GET" | "POST"
  readonly url: URL
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | undefined
}

export interface IncomingResponse {
  readonly status: number
  readonly headers: Readonly<Record<string, string | undefined>>
  /** Decompressed. */
  readonly body: Buffer
  /** The proxy that the response came through. */
  readonly proxy: Proxy | undefined
}

/** The response exceeds the limit, compressed or decompressed. */
export class ResponseTooLarge extends Data.TaggedError("ResponseTooLarge") {}

/** There was no complete response. */
export class ConnectionFailed extends Data.TaggedError("ConnectionFailed")<{
  readonly cause: unknown
  readonly proxy: Proxy | undefined
}> {}

export type TransportError = ResponseTooLarge | ConnectionFailed

export class Transport extends Context.Service<
  Transport,
  {
    /**
     * Interruption closes the connection and stops decompression. A `maxBytes` of 0 reads no body: the response is then
     * complete at its headers.
     */
    readonly send: (
      request: OutgoingRequest,
      maxBytes: number,
    ) => Effect.Effect<IncomingResponse, TransportError>
  }
>()("vaulthouse/extract/Transport") {
  static readonly layer = (proxies: Proxies = noProxies): Layer.Layer<Transport> =>
    Layer.effect(
      Transport,
      Effect.map(makeDispatcher(proxies), (dispatcher) =>
        Transport.of({
          send: ({ url, method, headers, body }, maxBytes) =>
            Effect.callback<IncomingResponse, TransportError>((resume) => {
              const reader = new ResponseReader(maxBytes, proxyFor(proxies, url), resume)
              dispatcher.dispatch(
                {
                  origin: url.origin,
                  path: url.pathname + url.search,
                  method,
                  headers: { ...headers },
                  body: body ?? null,
                },
                reader,
              )
              return Effect.sync(() => reader.stop())
            }),
        }),
      ),
    )
}

type Resume = (result: Effect.Effect<IncomingResponse, TransportError>) => void

// undici's own decompression is experimental and prints a warning about it.
const isGzip = (encoding: string | undefined): boolean => /^\s*(x-)?gzip\s*$/i.test(encoding ?? "")

/** Collects one response. The methods `on…` are undici's callbacks, in the order of the calls. */
class ResponseReader implements Undici.Dispatcher.DispatchHandler {
  private readonly maxBytes: number
  private readonly proxy: Proxy | undefined
  private readonly resume: Resume
  private controller: Undici.Dispatcher.DispatchController | undefined
  private gunzip: Gunzip | undefined
  private isOver = false
  private status = 0
  private headers: Readonly<Record<string, string | undefined>> = {}
  private receivedBytes = 0
  private bodyBytes = 0
  private readonly chunks: Array<Buffer> = []

  constructor(maxBytes: number, proxy: Proxy | undefined, resume: Resume) {
    this.maxBytes = maxBytes
    this.proxy = proxy
    this.resume = resume
  }

  onRequestStart(controller: Undici.Dispatcher.DispatchController): void {
    this.controller = controller
    if (this.isOver) this.stop()
  }

  onResponseStart(
    controller: Undici.Dispatcher.DispatchController,
    status: number,
    headers: Readonly<Record<string, string | ReadonlyArray<string> | undefined>>,
  ): void {
    this.status = status
    this.headers = Object.fromEntries(
      Object.entries(headers).map(([name, value]) => [
        name,
        typeof value === "object" ? value.join(", ") : value,
      ]),
    )
    // One below 200, such as 103, comes before the response itself.
    if (this.maxBytes === 0 && status >= 200) {
      this.complete()
      this.stop()
    }
    if (this.isOver || !isGzip(this.headers["content-encoding"])) return
    this.gunzip = createGunzip()
      .on("data", (chunk: Buffer) => this.collect(chunk))
      .on("drain", () => controller.resume())
      .on("end", () => this.complete())
      .on("error", (cause) => this.failConnection(cause))
  }

  onResponseData(controller: Undici.Dispatcher.DispatchController, chunk: Buffer): void {
    this.receivedBytes += chunk.length
    if (this.receivedBytes > this.maxBytes) this.fail(new ResponseTooLarge())
    else if (this.gunzip === undefined) this.collect(chunk)
    else if (!this.gunzip.write(chunk)) controller.pause()
  }

  onResponseEnd(): void {
    // Even an empty gzip file has some bytes, so an empty body is not gzip.
    if (this.gunzip === undefined || this.receivedBytes === 0) this.complete()
    else this.gunzip.end()
  }

  onResponseError(_controller: Undici.Dispatcher.DispatchController, cause: Error): void {
    this.failConnection(cause)
  }

  /** Frees the connection, the decompressor and the collected chunks. */
  stop(): void {
    this.isOver = true
    this.chunks.length = 0
    this.gunzip?.destroy()
    this.controller?.abort(new Error("stopped"))
  }

  private collect(chunk: Buffer): void {
    if (this.isOver) return
    this.bodyBytes += chunk.length
    if (this.bodyBytes > this.maxBytes) this.fail(new ResponseTooLarge())
    else this.chunks.push(chunk)
  }

  private complete(): void {
    if (this.isOver) return
    this.isOver = true
    const [first] = this.chunks
    const body =
      this.chunks.length === 1 && first !== undefined ? first : Buffer.concat(this.chunks)
    const { status, headers, proxy } = this
    this.resume(Effect.succeed({ status, headers, body, proxy }))
  }

  private failConnection(cause: Error): void {
    this.fail(new ConnectionFailed({ cause, proxy: this.proxy }))
  }

  private fail(error: TransportError): void {
    if (this.isOver) return
    this.stop()
    this.resume(Effect.fail(error))
  }
}
