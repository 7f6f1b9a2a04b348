// The period that all charts of a page show. Buttons, keys and the page's address set it; the charts follow.
import { SECONDS_PER_DAY, SECONDS_PER_HOUR } from "../../domain/values/time.ts"
export interface Period {
  /** Seconds since 1970, UTC. */
  readonly from: number
  readonly to: number
}

export interface PeriodControl {
  readonly whole: Period
  readonly set: (period: Period) => void
  /** Calls the listener at once and after every change. */
  readonly follow: (listener: (period: Period) => void) => void
  /** Moves the period by a fraction of its length: later if positive. */
  readonly pan: (fraction: number) => void
  /** Makes the period `factor` times as long, around an instant. */
  readonly zoom: (factor: number, around?: number) => void
}

const SHORTEST_SECONDS = 6 * SECONDS_PER_HOUR
const INITIAL_DAYS = 90

const iso = (seconds: number): string => `${new Date(seconds * 1000).toISOString().slice(0, 19)}Z`
const isSame = (one: Period, other: Period): boolean =>
  Math.abs(one.from - other.from) < 1 && Math.abs(one.to - other.to) < 1

/**
 * Connects the buttons of a section: `data-days` shows that many days up to the end, `data-move` moves or zooms the
 * shown period.
 */
export const periodControl = (section: HTMLElement, whole: Period): PeriodControl => {
  const newest = (days: number): Period => ({
    from: Math.max(whole.from, whole.to - days * SECONDS_PER_DAY),
    to: whole.to,
  })
  let current = periodInAddress() ?? newest(INITIAL_DAYS)
  const listeners: Array<(period: Period) => void> = []

  const set = ({ from, to }: Period): void => {
    const length = Math.min(whole.to - whole.from, Math.max(SHORTEST_SECONDS, to - from))
    const start = Math.min(Math.max(from, whole.from), whole.to - length)
    current = { from: start, to: start + length }
    setAddress(isSame(current, newest(INITIAL_DAYS)) ? undefined : current)
    for (const listener of listeners) listener(current)
  }
  const follow = (listener: (period: Period) => void): void => {
    listeners.push(listener)
    listener(current)
  }
  const pan = (fraction: number): void => {
    const by = (current.to - current.from) * fraction
    set({ from: current.from + by, to: current.to + by })
  }
  const zoom = (factor: number, around = (current.from + current.to) / 2): void => {
    set({
      from: around - (around - current.from) * factor,
      to: around + (current.to - around) * factor,
    })
  }

  const lengths = [...section.querySelectorAll<HTMLButtonElement>("button[data-days]")]
  const periodOf = (button: HTMLButtonElement): Period => newest(Number(button.dataset["days"]))
  for (const button of lengths) {
    const days = Number(button.dataset["days"])
    // A period longer than the history would show the same as "All".
    button.hidden = Number.isFinite(days) && days * SECONDS_PER_DAY > whole.to - whole.from
    button.addEventListener("click", () => set(periodOf(button)))
  }
  const moves: Readonly<Record<string, () => void>> = {
    earlier: () => pan(-0.5),
    later: () => pan(0.5),
    closer: () => zoom(0.5),
    wider: () => zoom(2),
  }
  for (const button of section.querySelectorAll<HTMLButtonElement>("button[data-move]"))
    button.addEventListener("click", () => moves[button.dataset["move"] ?? ""]?.())

  const shown = section.querySelector("output")
  follow((period) => {
    if (shown !== null) {
      shown.textContent = `${iso(period.from).slice(0, 10)} to ${iso(period.to).slice(0, 10)}`
    }
    for (const button of lengths)
      button.setAttribute("aria-pressed", String(isSame(period, periodOf(button))))
  })
  return { whole, set, follow, pan, zoom }
}

/**
 * The period in the URL's fragment, such as `#2026-01-01T00:00:00Z/2026-03-01T00:00:00Z`, so that it can be linked to.
 */
const periodInAddress = (): Period | undefined => {
  const [from = Number.NaN, to = Number.NaN] = location.hash
    .slice(1)
    .split("/")
    .map((text) => Date.parse(text) / 1000)
  return to > from ? { from, to } : undefined
}

const setAddress = (period: Period | undefined): void => {
  const hash = period === undefined ? "" : `#${iso(period.from)}/${iso(period.to)}`
  history.replaceState(null, "", `${location.pathname}${location.search}${hash}`)
}
