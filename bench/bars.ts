// A chart in one line of text.
const BARS = " ▁▂▃▄▅▆▇█"

/** One bar for each share of 0 to 1. */
export const bars = (shares: ReadonlyArray<number>): string =>
  shares.map((share) => BARS[Math.ceil(Math.min(1, share) * (BARS.length - 1))] ?? " ").join("")
