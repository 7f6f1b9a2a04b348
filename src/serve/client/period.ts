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
// Browsers refuse more than a hundred changes of the address in ten seconds, and a finger makes that many in one.
const ADDRESS_MILLIS = 250

const iso = (seconds: number): string => `${new Date(seconds * 1000).toISOString().slice(0, 19)}Z`
const isSame = (one: Period, other: Period): boolean =>
  Math.abs(one.from - other.from) < 1 && Math.abs(one.to - other.to) < 1

/**
 * Begins with the period of the section, as the server read it from the address. Buttons with `data-move` move or zoom
 * it; the link whose days (`data-from` and `data-to`, both included) it shows is the current one.
 */
export const periodControl = (section: HTMLElement, whole: Period): PeriodControl => {
  /** At least a part of the whole, also of a period before or after it. */
  const within = ({ from, to }: Period): Period => {
    const length = Math.min(whole.to - whole.from, Math.max(SHORTEST_SECONDS, to - from))
    const [start, end] = [Math.max(from, whole.from), Math.min(to, whole.to)]
    if (end - start >= SHORTEST_SECONDS) return { from: start, to: end }
    const begin = Math.min(Math.max(from, whole.from), whole.to - length)
    return { from: begin, to: begin + length }
  }
  let current = within({
    from: secondsIn(section.dataset["from"]),
    to: secondsIn(section.dataset["to"]),
  })
  const listeners: Array<(period: Period) => void> = []
  const links = [...document.querySelectorAll<HTMLAnchorElement>("a[data-from]")]
  const periodOf = ({ dataset }: HTMLElement): Period => ({
    from: secondsIn(dataset["from"]),
    to: secondsIn(dataset["to"]) + SECONDS_PER_DAY,
  })

  let writtenAt = -Infinity
  let isWaiting = false
  const writeAddress = (): void => {
    ;[isWaiting, writtenAt] = [false, performance.now()]
    const link = links.find((each) => isSame(within(periodOf(each)), current))
    history.replaceState(null, "", link === undefined ? addressOf(current) : withoutPlace(link))
  }
  const set = ({ from, to }: Period): void => {
    const length = Math.min(whole.to - whole.from, Math.max(SHORTEST_SECONDS, to - from))
    const start = Math.min(Math.max(from, whole.from), whole.to - length)
    current = { from: start, to: start + length }
    for (const listener of listeners) listener(current)
    if (isWaiting) return
    const wait = writtenAt + ADDRESS_MILLIS - performance.now()
    if (wait <= 0) writeAddress()
    else {
      isWaiting = true
      setTimeout(writeAddress, wait)
    }
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
      shown.textContent = `${iso(period.from).slice(0, 10)} to ${iso(period.to - 1).slice(0, 10)}`
    }
    for (const link of links) {
      if (isSame(period, within(periodOf(link)))) link.setAttribute("aria-current", "true")
      else link.removeAttribute("aria-current")
    }
  })
  return { whole, set, follow, pan, zoom }
}

const secondsIn = (text: string | undefined): number => Date.parse(text ?? "") / 1000

/** The address of the page with the period, so that it can be linked to. */
const addressOf = ({ from, to }: Period): string => {
  const parameters = new URLSearchParams(location.search)
  parameters.set("from", iso(from))
  parameters.set("to", iso(to))
  return `${location.pathname}?${parameters.toString()}`
}

/** Where the link leads to, without the place on the page. */
const withoutPlace = ({ href }: HTMLAnchorElement): string => href.replace(/#.*$/, "")
