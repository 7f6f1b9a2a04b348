// One request budget over processes, on PostgreSQL, against limits that nobody names.
import { describe, expect, it } from "vitest"
import { newDatabase, sharedPostgres } from "../../support/servers/postgres.ts"
import { until } from "../../support/until.ts"
import { lake } from "../lake.ts"
import { type LimitedService, limitedServices, startSending } from "./senders.ts"

/** Seconds: until it is stopped. */
const ENDLESS = 600

const sendersOf = ({ arrivals }: LimitedService) => [
  ...new Set(arrivals.map(({ sender }) => sender)),
]

describe.skipIf(lake === undefined)("one request budget for several processes", () => {
  it("four share what the service allows", async () => {
    const services = await limitedServices([20])
    const sending = startSending(4, ENDLESS, sharedPostgres().url(await newDatabase()), services)
    await until("all four send to each service", () =>
      services.every((service) => sendersOf(service).length === 4),
    )
    const from = performance.now()
    const since = ({ arrivals }: LimitedService) => arrivals.filter(({ at }) => at > from)
    // How fast that is, and how many are refused, test/extract/budget/sharedStarts.test.ts measures in simulated time.
    await until("each service has answered 400 more", () =>
      services.every((service) => since(service).filter(({ passed }) => passed).length >= 400),
    )
    await sending.stop()
    for (const service of services) {
      const arrivals = since(service)
      for (const each of sendersOf(service)) {
        const share = arrivals.filter(({ sender }) => sender === each).length / arrivals.length
        expect(share, service.kind).toBeGreaterThan(0.12)
      }
    }
  })

  it("two go on while PostgreSQL is away, each at its share", async () => {
    const services = await limitedServices([20])
    const name = await newDatabase()
    const { query, url } = sharedPostgres()
    const versions = async () => {
      const found = await query("select origin, version from vaulthouse_work.paces", name)
      return new Map(found.map(({ origin, version }) => [origin, Number(version)]))
    }
    const sending = startSending(2, ENDLESS, url(name), services)
    const counts = () => services.map(({ arrivals }) => arrivals.length)
    const more = (requests: number, since: ReadonlyArray<number>) =>
      until(`${requests} more requests have arrived at each service`, () =>
        counts().every((count, at) => count >= (since[at] ?? 0) + requests),
      )
    await until("both send to each service", () =>
      services.every((service) => sendersOf(service).length === 2),
    )
    await more(100, counts())
    const from = performance.now()
    await query(`alter database ${name} allow_connections false`)
    await query(`select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}'`)
    await more(200, counts())
    const to = performance.now()
    await query(`alter database ${name} allow_connections true`)
    const before = await versions()
    expect(before.size).toBe(3)
    await until("each pace is shared again", async () => {
      const now = await versions()
      return [...before].every(([origin, version]) => (now.get(origin) ?? 0) > version)
    })
    await sending.stop()
    for (const { kind, perSecond, arrivals } of services) {
      const away = arrivals.filter(({ at }) => at > from && at < to).length
      const allowed = (perSecond * (to - from)) / 1000
      expect(away / allowed, kind).toBeLessThan(1.2)
    }
  })
})
