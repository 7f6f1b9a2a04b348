// Every point the service has given out, with its values in their order: what the warehouse must hold. The simulator's
// answers are functions of the request and its clock, so each request it logged is sent once more, without faults.
import type { LoggedRequest, Simulator } from "../../simulator/index.ts"

type Point = readonly [key: string, value: string]

/** Points by `series vault instant …`; a value is a list of numbers as JSON. */
export class Given {
  /** Values in the order in which they were given out. */
  readonly values = new Map<string, ReadonlyArray<string>>()
  /** Key and value of points that may have arrived: in a damaged response, or in a run that was interrupted. */
  private readonly perhaps = new Set<string>()
  private counted = 0
  private readonly simulator: Simulator

  constructor(simulator: Simulator) {
    this.simulator = simulator
  }

  get newRequests(): number {
    return this.simulator.requests().total - this.counted
  }

  mayHold(key: string, value: string): boolean {
    return this.perhaps.has(`${key} ${value}`)
  }

  /** Adds what was given out since the last call, before the service's clock moves on. Ends its faults. */
  async add(isInterrupted: boolean): Promise<void> {
    const { last } = this.simulator.requests()
    const answered = last.slice(last.length - this.newRequests).filter(isAnswered)
    const whole = answered.filter(({ fault }) => fault === null && !isInterrupted)
    this.simulator.patch({ faults: [] })
    for (const [key, value] of await pointsIn(answered)) this.perhaps.add(`${key} ${value}`)
    for (const [key, value] of await pointsIn(whole)) {
      const earlier = this.values.get(key) ?? []
      if (earlier.at(-1) !== value) this.values.set(key, [...earlier, value])
    }
    this.counted = this.simulator.requests().total
  }

  /** Adds what the service has now, whether it was requested or not. */
  async addOffered(): Promise<void> {
    const { truth, url } = this.simulator
    for (const { address, chainId, kind } of truth.vaults) {
      const paths = [
        `unrealized_pnl?vault=${address}`,
        `unrealized_pnl?vault=${address}&fields=ratio`,
        `historical_apy/chart?vault=${address}&daysAgo=-1`,
        `historical_apy/chart?vault=${address}&daysAgo=-1&applySmoothing=false`,
        ...(kind === "evm" ? [`historical_allocations/${address}?chainId=${chainId}`] : []),
      ]
      for (const path of paths) await fetch(`${url}/platform/${path}`)
    }
    await this.add(false)
  }
}

const isAnswered = ({ status, url }: LoggedRequest): boolean =>
  status === 200 && /unrealized_pnl|historical_a/.test(url)

const pointsIn = async (requests: ReadonlyArray<LoggedRequest>): Promise<ReadonlyArray<Point>> => {
  const points: Array<Point> = []
  for (const url of new Set(requests.map((request) => request.url))) {
    points.push(...pointsOf(new URL(url), await (await fetch(url)).json()))
  }
  return points
}

interface Series {
  readonly labels: ReadonlyArray<string>
  readonly values: ReadonlyArray<number>
}
type Records = ReadonlyArray<Readonly<Record<string, string | number>>>

const day = (label: string): string => {
  const [month = "", date = "", year = ""] = label.split("/")
  return `${year}-${month.padStart(2, "0")}-${date.padStart(2, "0")}`
}

const numbers = (...all: ReadonlyArray<unknown>): string => JSON.stringify(all)

const pointsOf = (url: URL, body: unknown): ReadonlyArray<Point> => {
  const { pathname, searchParams: inputs } = url
  const vault = inputs.get("vault") ?? pathname.split("/").at(-1)
  if (pathname === "/platform/historical_apy/chart") {
    const { labels, values } = body as Series
    const kind = inputs.get("applySmoothing") === "false" ? "raw" : "smoothed"
    return labels.map((label, at) => [`apy ${vault} ${day(label)} ${kind}`, numbers(values[at])])
  }
  if (pathname.startsWith("/platform/historical_allocations/")) {
    return (body as { readonly points: Records }).points.map((point) => [
      `allocation ${vault} ${point["date"]} ${point["protocol"]}`,
      numbers(point["value_usd"]),
    ])
  }
  const isRatio = inputs.get("fields") === "ratio"
  const names = isRatio
    ? ["actual_tvl", "tvl_on_vault", "adjusted_redeem_ratio"]
    : ["unrealizedPnl", "unrealizedPnlInAsset"]
  return (body as Records).map((point) => [
    `${isRatio ? "ratio" : "pnl"} ${vault} ${point["timestamp"]}`,
    numbers(...names.map((name) => point[name])),
  ])
}
