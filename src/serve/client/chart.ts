// Draws the charts of a vault's page. Each `figure` names a series; all charts show the same period.
import { charts } from "../charts/charts.ts"
import { periodControl } from "./period.ts"
import { plot } from "./plot.ts"
import { fetchSeries } from "./series.ts"

const page = document.getElementById("charts")
const figures = [...document.querySelectorAll<HTMLElement>("figure[data-series]")]

const start = async (section: HTMLElement): Promise<void> => {
  // The address may name the instant of a past state.
  const { pathname, search } = new URL(section.dataset["path"] ?? "", location.href)
  const shown = await Promise.all(
    figures.flatMap((figure) => {
      const chart = charts.find(({ series }) => series === figure.dataset["series"])
      if (chart === undefined) return []
      const read = fetchSeries(`${pathname}/${chart.series}${search}`)
      return [read(undefined, figure.clientWidth).then((whole) => ({ figure, chart, read, whole }))]
    }),
  )
  const [first] = shown
  if (first === undefined) return
  const control = periodControl(section, { from: first.whole.from, to: first.whole.to })
  for (const { figure, chart, read, whole } of shown) plot(figure, chart, whole, read, control)
}

if (page !== null && figures.length > 0) {
  page.hidden = false
  start(page).catch((error: unknown) => {
    const line = document.createElement("p")
    line.className = "error"
    line.textContent = `The charts could not be drawn: ${String(error)}`
    page.append(line)
  })
}
