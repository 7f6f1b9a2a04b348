// Draws the charts of a vault's page: each `figure` names a series, and all of them show one period.
import { drawings } from "./drawings.ts"
import { type Period, periodControl } from "./period.ts"
import { plot } from "./plot.ts"
import { fetchSeries } from "./series.ts"

const page = document.getElementById("charts")
const figures = [...document.querySelectorAll<HTMLElement>("figure[data-series]")]

const start = async (section: HTMLElement): Promise<void> => {
  const path = section.dataset["path"] ?? ""
  const shown = await Promise.all(
    figures.map(async (figure) => {
      const drawing = drawings[figure.dataset["series"] ?? ""]
      if (drawing === undefined) return undefined
      const read = fetchSeries(`${path}/${drawing.series}`)
      const whole = await read(undefined, figure.clientWidth)
      return { figure, drawing, read, whole }
    }),
  )
  const found = shown.filter((each) => each !== undefined)
  const [first] = found
  if (first === undefined) return
  const control = periodControl(section, { from: first.whole.from, to: first.whole.to })
  for (const { figure, drawing, read, whole } of found) {
    const chart = plot(figure, drawing, whole, control)
    control.follow((period: Period) => {
      chart.show(period)
      if (!drawing.isHourly) return
      void chart.refine(period, read)
    })
  }
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
