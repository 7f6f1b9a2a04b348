// Moves and zooms the period of a chart by keyboard, wheel, mouse and touch.
import type uPlot from "uplot"
import type { PeriodControl } from "./period.ts"

export const bindKeys = (place: HTMLElement, control: PeriodControl): void => {
  const keys: Readonly<Record<string, () => void>> = {
    ArrowLeft: () => control.pan(-0.2),
    ArrowRight: () => control.pan(0.2),
    "+": () => control.zoom(0.5),
    "-": () => control.zoom(2),
    Home: () => control.set(control.whole),
  }
  place.addEventListener("keydown", (event) => {
    const act = keys[event.key]
    if (act === undefined || event.ctrlKey || event.metaKey || event.altKey) return
    event.preventDefault()
    act()
  })
}

/** Dragging with a finger, or with the mouse and Shift, pans; the wheel pans sideways and, with Ctrl, zooms. */
export const bindPointer = (chart: uPlot, control: PeriodControl): void => {
  const { over } = chart
  let last: number | undefined
  over.addEventListener(
    "wheel",
    (event) => {
      const isZoom = event.ctrlKey || event.metaKey
      if (!isZoom && Math.abs(event.deltaX) <= Math.abs(event.deltaY)) return
      event.preventDefault()
      if (isZoom) control.zoom(event.deltaY > 0 ? 1.25 : 0.8, chart.posToVal(event.offsetX, "x"))
      else control.pan(event.deltaX / over.clientWidth)
    },
    { passive: false },
  )
  over.addEventListener(
    "mousedown",
    (event) => {
      if (event.shiftKey) event.stopImmediatePropagation()
    },
    { capture: true },
  )
  over.addEventListener("pointerdown", (event) => {
    if (event.pointerType === "mouse" && !event.shiftKey) return
    last = event.clientX
    over.setPointerCapture(event.pointerId)
  })
  over.addEventListener("pointermove", (event) => {
    if (last === undefined) return
    control.pan((last - event.clientX) / over.clientWidth)
    last = event.clientX
  })
  for (const end of ["pointerup", "pointercancel"] as const)
    over.addEventListener(end, () => (last = undefined))
}
