// Axes and colours of every chart: instants in UTC, colours of style.css as the reader has them, light or dark.
import uPlot from "uplot"

export const color = (name: string): string =>
  getComputedStyle(document.documentElement).getPropertyValue(name).trim()

export const utc = (seconds: number): Date => uPlot.tzDate(new Date(seconds * 1000), "Etc/UTC")

/** Time below, figures on the left. */
export const axes = (format: (value: number) => string): Array<uPlot.Axis> => {
  const axis: uPlot.Axis = {
    stroke: () => color("--soft"),
    grid: { stroke: () => color("--rule"), width: 1 },
    ticks: { show: false },
    font: "11px system-ui, sans-serif",
  }
  return [
    {
      ...axis,
      values: (_, ticks, __, ___, step) => ticks.map((each) => dateLabel(each, step)),
    },
    { ...axis, size: 62, values: (_, ticks) => ticks.map((each) => format(each)) },
  ]
}

const SECONDS_PER_DAY = 86_400

/** As much of an instant as the distance between two marks needs. */
const dateLabel = (seconds: number, step: number): string => {
  const text = new Date(seconds * 1000).toISOString()
  if (step >= 365 * SECONDS_PER_DAY) return text.slice(0, 4)
  if (step >= 28 * SECONDS_PER_DAY) return text.slice(0, 7)
  return step >= SECONDS_PER_DAY || seconds % SECONDS_PER_DAY === 0
    ? text.slice(5, 10)
    : text.slice(11, 16)
}
