// What one request budget costs when several processes share it: node bench/budget.ts SECONDS DATABASE PROCESSES…
// prints a row for each number of processes, 0 for one process with a budget of its own. DATABASE is an empty database of
// PostgreSQL, as a connection string.
import { limitedServices, refusedShare, startSending } from "../test/lake/budget/senders.ts"

const [seconds = "30", database = "", ...counts] = process.argv.slice(2)
const rates = [20, 100]
const percent = (share: number) => `${(100 * share).toFixed(1)} %`

for (const count of counts.map(Number)) {
  const services = await limitedServices(rates)
  await startSending(Math.max(1, count), Number(seconds), count === 0 ? "none" : database, services)
    .ended
  const cells = services.map((service) => {
    const { arrivals, perSecond } = service
    const first = arrivals[0]?.at ?? 0
    const later = arrivals.filter(({ at }) => at > first + 5000)
    const passed = later.filter((each) => each.passed).length
    const used = passed / (((arrivals.at(-1)?.at ?? 0) - first - 5000) / 1000) / perSecond
    return `${percent(refusedShare([service]))}, ${percent(used)}`
  })
  const refused = percent(refusedShare(services))
  process.stdout.write(
    `| ${count === 0 ? "1, alone" : count} | ${[...cells, refused].join(" | ")} |\n`,
  )
}
