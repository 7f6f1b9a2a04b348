// A service on loopback that limits the rate of requests, as services do: by a token bucket, a sliding or a fixed window.
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"

export const kinds = ["token bucket", "sliding window", "fixed window"] as const
export type Kind = (typeof kinds)[number]

export interface Arrival {
  /** Milliseconds. */
  readonly at: number
  readonly sender: string
  readonly passed: boolean
}

/** Whether a request at an instant passes; `burst` requests may come at once where it is a bucket. */
const limiter = (kind: Kind, perSecond: number): ((now: number) => boolean) => {
  if (kind === "token bucket") {
    let tokens = perSecond
    let filledAt = 0
    return (now) => {
      tokens = Math.min(perSecond, tokens + ((now - filledAt) * perSecond) / 1000)
      filledAt = now
      if (tokens < 1) return false
      tokens -= 1
      return true
    }
  }
  let passed: Array<number> = []
  return (now) => {
    const since = kind === "fixed window" ? Math.floor(now / 1000) * 1000 : now - 999
    passed = passed.filter((at) => at >= since)
    if (passed.length >= perSecond) return false
    passed.push(now)
    return true
  }
}

/** Its URL, what arrived, and how to close it. */
export const limitedService = async (kind: Kind, perSecond: number, latencyMillis: number) => {
  const passes = limiter(kind, perSecond)
  const arrivals: Array<Arrival> = []
  const server = createServer(({ headers }, response) => {
    const at = performance.now()
    const passed = passes(at)
    arrivals.push({ at, sender: String(headers["x-sender"]), passed })
    response.statusCode = passed ? 200 : 429
    setTimeout(() => response.end("{}"), latencyMillis)
  })
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done))
  const close = () => {
    server.close()
    server.closeAllConnections()
  }
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    kind,
    perSecond,
    arrivals,
    close,
  }
}
