// A table of measurements in docs/benchmarks.md.
import { type Measured, rate } from "./measured.ts"

const number = (value: number, digits = 0): string =>
  value.toLocaleString("en", { maximumFractionDigits: digits, minimumFractionDigits: digits })

export const line = (name: string, measured: Measured): string => {
  const { seconds, cpuSeconds, rows, requests, megabytes } = measured
  return `| ${name} | ${number(rows)} | ${number(requests)} | ${number(seconds, 2)} | ${number(cpuSeconds, 2)} | ${number(rate(measured))} | ${number(megabytes)} |`
}

export const header = (title: string): string =>
  `| ${title} | rows | requests | seconds | CPU-seconds | rows/s | peak MB |
|---|---:|---:|---:|---:|---:|---:|`
