// Asks a dated series for its holes again, in as few windows as hold them all: what comes closes them, what does
// not come although the service was asked is given up for good.
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"
import { ApiError } from "../domain/errors.ts"
import { dayOf, formatDay } from "../domain/time.ts"
import type { DayRange, WindowRead } from "../extract/paginators/dateWindow.ts"
import { isOfOneWindow } from "../extract/paginators/dateWindows.ts"
import { givenUp } from "./holes.ts"
import type { GapNote, Holes, Memory, RunContext } from "./Pipeline.ts"

/** `times`: of the points of the answer, microseconds since 1970 UTC. */
export interface HoleRead<A> extends WindowRead<A> {
  readonly times: ReadonlyArray<number>
}

export interface FillHoles<A, E, R> {
  readonly holes: Holes
  /** Ranges an earlier run could not read. */
  readonly openGaps: Memory["openGaps"]
  readonly windowDays: number
  readonly context: RunContext
  readonly read: (window: DayRange) => Effect.Effect<HoleRead<A>, ApiError | E, R>
}

export type FillStep<A> =
  | {
      readonly _tag: "Filled"
      readonly window: DayRange
      readonly content: A
      readonly points: number
      readonly gaps: ReadonlyArray<GapNote>
      /** Nothing came where there are points: not believed. */
      readonly suspicious: boolean
    }
  | { readonly _tag: "NotFilled"; readonly window: DayRange; readonly error: ApiError }

const MAX_FAILURES_IN_A_ROW = 2

const daysOf = ({ from, to }: DayRange): ReadonlyArray<number> =>
  Array.from({ length: to - from + 1 }, (_, at) => from + at)

const gapDays = ({ fromAt, toAt }: Memory["openGaps"][number]): DayRange => ({
  from: dayOf(fromAt),
  to: dayOf(toAt),
})

/**
 * The fewest windows of at most `windowDays` days that hold every hole and open gap. One that would hold
 * nothing but holes is made a day wider on each side where there is room: the points there then prove that
 * an answer without the others is one.
 */
export const holeWindows = (
  holes: Holes,
  openGaps: Memory["openGaps"],
  windowDays: number,
): ReadonlyArray<DayRange> => {
  const wanted = new Set([
    ...holes.days.filter(({ missing }) => missing.length > 0).map(({ day }) => day),
    ...openGaps.flatMap((gap) => daysOf(gapDays(gap))),
  ])
  const windows: Array<{ from: number; to: number }> = []
  for (const day of [...wanted].toSorted((a, b) => a - b)) {
    const last = windows.at(-1)
    if (last !== undefined && day - last.from < windowDays) last.to = day
    else windows.push({ from: day, to: day })
  }
  const known = new Set(holes.days.filter(({ present }) => present > 0).map(({ day }) => day))
  return windows.map((window) => {
    if (daysOf(window).some((day) => known.has(day))) return window
    const wide = { from: window.from, to: window.to }
    if (known.has(wide.from - 1) && wide.to - wide.from + 1 < windowDays) wide.from -= 1
    if (known.has(wide.to + 1) && wide.to - wide.from + 1 < windowDays) wide.to += 1
    return wide
  })
}

interface State {
  readonly pending: ReadonlyArray<DayRange>
  readonly failures: number
  /** Days the service has answered for. */
  readonly answered: ReadonlySet<number>
}

export const fillHoles = <A, E, R>(
  options: FillHoles<A, E, R>,
): Stream.Stream<FillStep<A>, ApiError | E, R> => {
  const { holes, openGaps, windowDays } = options
  const advance = Effect.fnUntraced(function* (state: State) {
    const [window, ...pending] = state.pending
    if (window === undefined) return [[], Option.none()] as const
    const outcome = yield* Effect.result(options.read(window))
    if (Result.isFailure(outcome)) {
      const error = outcome.failure
      const failures = state.failures + 1
      if (
        !(error instanceof ApiError) ||
        !isOfOneWindow(error) ||
        failures >= MAX_FAILURES_IN_A_ROW
      ) {
        return yield* Effect.fail(error)
      }
      const failed: FillStep<A> = { _tag: "NotFilled", window, error }
      return [[failed], Option.some<State>({ ...state, pending, failures })] as const
    }
    const answer = outcome.success
    if (answer.full && window.to > window.from) {
      const middle = Math.floor((window.from + window.to) / 2)
      const halves = [
        { from: window.from, to: middle },
        { from: middle + 1, to: window.to },
      ]
      return [[], Option.some<State>({ ...state, pending: [...halves, ...pending] })] as const
    }
    const step = settled(options, state.answered, window, answer)
    const answered = step.suspicious
      ? state.answered
      : new Set([...state.answered, ...daysOf(window)])
    return [[step], Option.some<State>({ pending, failures: 0, answered })] as const
  })
  const pending = holeWindows(holes, openGaps, windowDays)
  return Stream.paginate<State, FillStep<A>, ApiError | E, R>(
    { pending, failures: 0, answered: new Set() },
    advance,
  )
}

const settled = <A>(
  { holes, openGaps, context }: Pick<FillHoles<A, never, never>, "holes" | "openGaps" | "context">,
  answered: ReadonlySet<number>,
  window: DayRange,
  { content, points, times }: HoleRead<A>,
): Extract<FillStep<A>, { readonly _tag: "Filled" }> => {
  const inWindow = holes.days.filter(({ day }) => day >= window.from && day <= window.to)
  const suspicious = points === 0 && inWindow.some(({ present }) => present > 0)
  const shared = { _tag: "Filled", window, content, points, suspicious } as const
  if (suspicious) return { ...shared, gaps: [] }
  const { slotMicros } = holes
  const found = new Set(times.map((time) => Math.floor(time / slotMicros) * slotMicros))
  const still = inWindow.flatMap(({ missing }) => missing).filter((slot) => !found.has(slot))
  const now = new Set([...answered, ...daysOf(window)])
  const closed = openGaps
    .filter((gap) => {
      const days = daysOf(gapDays(gap))
      return days.every((day) => now.has(day)) && !days.every((day) => answered.has(day))
    })
    .map((gap): GapNote => ({
      ...gap,
      reason: "failed",
      state: "closed",
      detail: `read again on ${formatDay(context.today)}`,
    }))
  // A gap that stays whole has the key of its closing: the last one is kept.
  return { ...shared, gaps: [...closed, ...givenUp(still, holes, context)] }
}
