// Processes that share a request budget, against services that limit the rate of requests and do not say how.
import { spawn } from "node:child_process"
import { join } from "node:path"
import { kinds, limitedService } from "./limits.ts"

export type LimitedService = Awaited<ReturnType<typeof limitedService>>

const LATENCY_MILLIS = 20
const TASKS = 40

/** One of each kind and rate. */
export const limitedServices = (
  rates: ReadonlyArray<number>,
): Promise<ReadonlyArray<LimitedService>> =>
  Promise.all(
    kinds.flatMap((kind) => rates.map((rate) => limitedService(kind, rate, LATENCY_MILLIS))),
  )

/** Sends from `processes` processes to all services, which are closed then. `database`: "none" for a budget of its own. */
export const startSending = (
  processes: number,
  seconds: number,
  database: string,
  services: ReadonlyArray<LimitedService>,
) => {
  const urls = services.map(({ url }) => url)
  const args = [join(import.meta.dirname, "sender.ts"), String(seconds), String(TASKS), database]
  const children = Array.from({ length: processes }, () =>
    spawn(process.execPath, [...args, ...urls], { stdio: ["ignore", 2, 2] }),
  )
  let isStopped = false
  const wait = async (): Promise<void> => {
    const codes = await Promise.all(
      children.map((child) => new Promise<number | null>((done) => child.on("exit", done))),
    )
    for (const { close } of services) close()
    if (!isStopped && codes.some((code) => code !== 0))
      throw new Error(`a sender ended with ${codes.join(", ")}`)
  }
  const ended = wait()
  return {
    ended,
    stop: (): Promise<void> => {
      isStopped = true
      for (const child of children) child.kill("SIGKILL")
      return ended
    },
  }
}

/** Share of requests refused, over all services. */
export const refusedShare = (services: ReadonlyArray<LimitedService>): number => {
  const arrivals = services.flatMap((service) => service.arrivals)
  return arrivals.filter(({ passed }) => !passed).length / arrivals.length
}
