// The measurements each benchmark script prints at its end.

export interface Measured {
  readonly seconds: number
  /** CPU time of all threads; it varies less than seconds on a machine that does other work. */
  readonly cpuSeconds: number
  readonly rows: number
  readonly requests: number
  readonly megabytes: number
}

/** `startedAt` is a value of `performance.now()`. */
export const printMeasured = (
  startedAt: number,
  work: Pick<Measured, "rows" | "requests">,
): void => {
  const { user, system } = process.cpuUsage()
  const measured: Measured = {
    seconds: (performance.now() - startedAt) / 1000,
    cpuSeconds: (user + system) / 1e6,
    ...work,
    megabytes: process.resourceUsage().maxRSS / 1024,
  }
  console.log(JSON.stringify(measured))
}

const median = (values: ReadonlyArray<number>): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN

export const medianOf = (all: ReadonlyArray<Measured>): Measured => ({
  seconds: median(all.map(({ seconds }) => seconds)),
  cpuSeconds: median(all.map(({ cpuSeconds }) => cpuSeconds)),
  rows: median(all.map(({ rows }) => rows)),
  requests: median(all.map(({ requests }) => requests)),
  megabytes: median(all.map(({ megabytes }) => megabytes)),
})

export const rate = ({ rows, seconds }: Measured): number => rows / seconds
