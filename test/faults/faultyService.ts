// Between the product and the simulated service: each endpoint of the API document meets the fault of a round.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import * as Effect from "effect/Effect"
import { endpoints } from "../../src/extract/endpoints/index.ts"
import { faults, send } from "./faults.ts"
import { pageFaults } from "./pageFaults.ts"
import { paths } from "../support/simulated.ts"

const routes = endpoints.map(({ name, method, path, fixedQuery = {} }) => {
  const template = typeof path === "string" ? path : paths[path.setting]
  return {
    name,
    method,
    pattern: new RegExp(`^${template.replaceAll(/\{\w+\}/g, "[^/]+")}$`),
    query: Object.entries(fixedQuery),
    parts: template.split("{").length,
  }
})

/** The endpoint that is requested: the one with the fewest placeholders, and a fixed parameter rather than none. */
export const endpointOf = (method: string, url: URL): string | undefined =>
  routes
    .filter(
      (route) =>
        route.method === method &&
        route.pattern.test(url.pathname) &&
        route.query.every(([name, value]) => url.searchParams.get(name) === value),
    )
    .toSorted((one, other) => one.parts - other.parts || other.query.length - one.query.length)[0]
    ?.name

export interface Round {
  /** The fault of each endpoint that has one. */
  readonly faultOf: ReadonlyMap<string, string>
  readonly fieldOf: (endpoint: string, fault: string) => string
  readonly now: () => number
  readonly second: number
  readonly moveClock?: (millis: number) => void
}

/** A changed body, and what the request for it says. */
export interface Sent {
  readonly body: string
  /** The record of it that changed, if that is known. */
  readonly record: string | undefined
  readonly request: ReadonlyArray<string>
}

export interface FaultyService {
  readonly url: string
  /** How often each endpoint met its fault. */
  readonly met: ReadonlyMap<string, number>
  /** The changed bodies that each endpoint responded with. */
  readonly sent: ReadonlyMap<string, ReadonlyArray<Sent>>
  /** Endpoints with a response that their fault leaves as it was. */
  readonly unchanged: ReadonlySet<string>
  /** What another host was sent, which must be nothing: a line for each request. */
  readonly strayed: ReadonlyArray<string>
  /** The most bytes of one response. */
  readonly mostBytes: () => number
}

const readBody = async (request: IncomingMessage): Promise<Buffer> => {
  const chunks: Array<Buffer> = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks)
}

const ofPlace = new Set([
  "before",
  "offset",
  "startTime",
  "endTime",
  "startDate",
  "endDate",
  "limit",
])

const listOf = (url: URL): string =>
  [url.pathname, ...[...url.searchParams].filter(([name]) => !ofPlace.has(name)).flat()].join(" ")

const listen = (server: Server, host: string): Promise<void> =>
  new Promise((resolve) => server.listen(0, host, resolve))

const close = async (server: Server): Promise<void> => {
  const closed = new Promise((resolve) => server.close(resolve))
  server.closeAllConnections()
  await closed
}

const portOf = (server: Server): number => (server.address() as AddressInfo).port

export const faultyService = (service: string, round: Round) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const met = new Map<string, number>()
      const sentOf = new Map<string, Array<Sent>>()
      const pages = new Map<string, Array<string>>()
      const unchanged = new Set<string>()
      const times = new Map<string, number>()
      const strayed: Array<string> = []
      let mostBytes = 0
      const other = createServer(({ method, url, headers }, response) => {
        const key = "x-api-key" in headers ? " with the API key" : ""
        strayed.push(`another host was sent ${method} ${url}${key}`)
        response.end()
      })
      await listen(other, "localhost")
      const respond = async (request: IncomingMessage, response: ServerResponse) => {
        const url = new URL(request.url ?? "/", service)
        const method = request.method ?? "GET"
        const sent = await readBody(request)
        const key = request.headers["x-api-key"]
        const headers = {
          ...(typeof key === "string" ? { "x-api-key": key } : {}),
          ...(sent.length > 0 ? { "content-type": "application/json" } : {}),
        }
        const answer = async (parameters: Readonly<Record<string, string | undefined>> = {}) => {
          const target = new URL(url)
          for (const [name, value] of Object.entries(parameters)) {
            if (!target.searchParams.has(name)) continue
            if (value === undefined) target.searchParams.delete(name)
            else target.searchParams.set(name, value)
          }
          const body = sent.length > 0 ? { body: new Uint8Array(sent) } : {}
          const answered = await fetch(target, { method, headers, ...body })
          return { status: answered.status, body: await answered.text() }
        }
        response.setHeader("date", new Date(round.now()).toUTCString())
        const endpoint = endpointOf(method, url)
        const fault = endpoint === undefined ? undefined : round.faultOf.get(endpoint)
        if (endpoint === undefined || fault === undefined) {
          const { status, body } = await answer()
          return send(response, status, body)
        }
        const time = (times.get(endpoint) ?? 0) + 1
        times.set(endpoint, time)
        const { second } = round
        const field = round.fieldOf(endpoint, fault)
        const { socket } = response
        const before = socket?.bytesWritten ?? 0
        const list = listOf(url)
        const sentPages = pages.get(list) ?? []
        pages.set(list, sentPages)
        const isMet = await (faults[fault] ?? pageFaults[fault])!({
          path: url.pathname,
          elsewhere: `http://localhost:${portOf(other)}${request.url}`,
          pages: sentPages,
          moveClock: round.moveClock ?? (() => undefined),
          response,
          answer,
          keep: (body, record) => {
            const asked = [...url.pathname.split("/"), ...url.searchParams.values()]
            const all = sentOf.get(endpoint) ?? []
            sentOf.set(endpoint, [...all, { body, record, request: [...asked, sent.toString()] }])
          },
          time,
          now: round.now(),
          second,
          field,
        })
        if (isMet) met.set(endpoint, (met.get(endpoint) ?? 0) + 1)
        else if (response.statusCode === 200) unchanged.add(endpoint)
        mostBytes = Math.max(mostBytes, (socket?.bytesWritten ?? 0) - before)
      }
      const server = createServer((request, response) => {
        respond(request, response).catch(() => response.destroy())
      })
      await listen(server, "127.0.0.1")
      return { server, other, met, sentOf, unchanged, strayed, mostBytes: () => mostBytes }
    }),
    ({ server, other }) => Effect.promise(() => Promise.all([server, other].map(close))),
  ).pipe(
    Effect.map(({ server, met, sentOf, unchanged, strayed, mostBytes }): FaultyService => ({
      url: `http://127.0.0.1:${portOf(server)}`,
      met,
      sent: sentOf,
      unchanged,
      strayed,
      mostBytes,
    })),
  )
