// Handles a request, in this order: log, fault, rate limit, API key, cache, response, changes of its shape.
import type { HttpBindings } from "@hono/node-server"
import { RESPONSE_ALREADY_SENT } from "@hono/node-server/utils/response"
import type { Context } from "hono"
import { Hono } from "hono"
import { keyOf } from "../values/noise.ts"
import type { World } from "../generate/world.ts"
import { allRows } from "../rows/index.ts"
import { authorise } from "./auth.ts"
import type { ServerCache } from "./cache.ts"
import { ApiError, invalid } from "../call/errors.ts"
import type { Fault } from "../fault-types.ts"
import type { FaultChooser } from "./faults.ts"
import type { Reply } from "./misbehave.ts"
import { deliver, wait, faultReply, jsonReply } from "./misbehave.ts"
import { Query } from "../call/query.ts"
import type { TokenBucket } from "./rate-limit.ts"
import type { RequestLog } from "./request-log.ts"
import type { Row } from "../call/row.ts"
import { broken, emptied, withAddedFields } from "./shape.ts"

export interface Serving {
  readonly world: World
  readonly log: RequestLog
  readonly cache: ServerCache
  readonly faults: FaultChooser
  readonly bucket: TokenBucket | undefined
  readonly clock: () => number
}

type Ctx = Context<{ Bindings: HttpBindings }>

const bodyOf = async (c: Ctx): Promise<unknown> => {
  try {
    return await c.req.json()
  } catch {
    throw invalid("body", "", "Body should be valid JSON")
  }
}

/** The row's response, from the server cache if §8 gives it one. */
const answerOf = async (c: Ctx, row: Row, { world, cache, clock }: Serving): Promise<unknown> => {
  const { options } = world
  const role = authorise(options.keys, c.req.header("x-api-key"), row.tier)
  const url = new URL(c.req.url)
  const body = row.method === "POST" ? await bodyOf(c) : undefined
  const seconds = options.serverCaches ? (row.cacheSeconds ?? 0) : 0
  // The role is part of the key, because callers with different roles may read different data.
  const cacheKey = `${role} ${url.pathname}${url.search} ${JSON.stringify(body)}`
  const cached = seconds > 0 ? cache.get(cacheKey, clock(), seconds) : undefined
  if (cached !== undefined) return cached.value
  if (row.slow === true) await wait(c.env.outgoing, options.slowReadMs)
  const at = clock()
  const param = (name: string): string => c.req.param(name) ?? ""
  const query = new Query(url.searchParams, options)
  const value = await row.answer({ world, query, param, body, role, clock: at })
  if (seconds > 0) cache.set(cacheKey, at, value)
  return value
}

const reshaped = (
  value: unknown,
  row: Row,
  fault: Fault | undefined,
  serving: Serving,
  url: URL,
) => {
  const { addedFields, seed } = serving.world.options
  const extended = addedFields ? withAddedFields(value) : value
  if (fault?.kind === "empty") return emptied(extended)
  if (fault?.kind !== "contract-break") return extended
  return broken(
    extended,
    row.documented,
    fault.mode,
    keyOf(seed, "break", url.pathname, url.search),
  )
}

const replyTo = async (
  c: Ctx,
  row: Row | undefined,
  fault: Fault | undefined,
  serving: Serving,
): Promise<Reply> => {
  const url = new URL(c.req.url)
  const reply = faultReply(fault, url)
  if (reply !== undefined) return reply
  const grant = serving.bucket?.covers(row?.path ?? "") ? serving.bucket.take() : undefined
  if (grant?.allowed === false)
    return jsonReply(429, { detail: "Rate limit exceeded" }, grant.headers)
  try {
    if (row === undefined) throw new ApiError(404, "Not Found")
    const value = await answerOf(c, row, serving)
    return jsonReply(200, reshaped(value, row, fault, serving, url), grant?.headers)
  } catch (error) {
    if (error instanceof ApiError) {
      return jsonReply(error.status, { detail: error.detail }, grant?.headers)
    }
    console.error(error)
    return jsonReply(500, { detail: "The simulator failed" })
  }
}

const respond = async (c: Ctx, row: Row | undefined, serving: Serving): Promise<Response> => {
  const { outgoing, incoming } = c.env
  const fault = serving.faults.choose(incoming.url ?? "/")
  const entry = serving.log.arrive(incoming, c.req.url, fault?.kind ?? null)
  const template = row?.path ?? "(unknown path)"
  const delay = serving.world.options.latencyMs + (fault?.kind === "slow" ? fault.delayMs : 0)
  if (delay > 0) await wait(outgoing, delay)
  if (fault?.kind === "drop") outgoing.destroy()
  if (fault?.kind === "stall-headers") await wait(outgoing, fault.delayMs)
  if (outgoing.destroyed) {
    serving.log.finish(entry, template, 0)
    return RESPONSE_ALREADY_SENT
  }
  const reply = await replyTo(c, row, fault, serving)
  serving.log.finish(entry, template, reply.status)
  return deliver(reply, fault, outgoing)
}

/** The routes of one set of options. After a change of the segment or a path, the old one gives 404. */
export const makeApp = (serving: Serving): Hono<{ Bindings: HttpBindings }> => {
  const { options } = serving.world
  const app = new Hono<{ Bindings: HttpBindings }>()
  const rows = allRows(options)
  const route = (path: string): string =>
    path.replace(/^\/platform\//, `/${options.platformSegment}/`).replaceAll(/\{(\w+)\}/g, ":$1")
  for (const row of rows) app.on(row.method, route(row.path), (c) => respond(c, row, serving))
  app.all("*", (c) => respond(c, undefined, serving))
  return app
}
