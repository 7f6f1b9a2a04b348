// Reads records that can be asked for between two instants, newest first, both ends inclusive. Whether an
// answer is cut off, and at how many records, is not said (§4.3): only what an answer held tells.
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import { CAP_STEP, looksCutOff } from "./plausibleCap.ts"

const MICROS_PER_MILLI = 1000
/** Windows share this much: the service may keep finer or coarser time than the wire carries. */
const OVERLAP = 1_000_000

/** Microseconds since 1970, both ends inclusive; an absent end is open. */
export interface TimeWindow {
  readonly from: number | undefined
  readonly to: number | undefined
}

/** A walk towards the past that is not done: everything above `to` is read. */
interface Walk {
  readonly from: number | undefined
  readonly to: number | undefined
  /** Newest record it has met. */
  readonly newest: number | undefined
}

export interface TimeCursor {
  /** Newest record of all that is read: the high-water mark; `undefined` during a first walk. */
  readonly through: number | undefined
  /** Nothing before it was asked for; `undefined` where everything was. */
  readonly from: number | undefined
  /**
   * Most records an answer has held. Every answer that held fewer was whole: the service gives out at
   * least as many at once.
   */
  readonly largest: number
  readonly walk: Walk | undefined
}

/** What one answer held; `times` in microseconds, one a record, in any order. */
export interface TimeRead<A> {
  readonly content: A
  readonly times: ReadonlyArray<number>
}

export interface TimeWindows<A, E, R> {
  readonly cursor: TimeCursor | undefined
  /** How far before the high-water mark records may still come or change. */
  readonly overlap: number
  readonly since: number | undefined
  readonly until: number | undefined
  readonly read: (window: TimeWindow) => Effect.Effect<TimeRead<A>, E, R>
}

export interface TimeStep<A> {
  readonly window: TimeWindow
  readonly content: A
  readonly count: number
  readonly cursor: TimeCursor | undefined
  /** Records were there before in this window, and now there is none. */
  readonly suspicious: boolean
  /** An instant of which an answer could not hold all records: some may be out of reach. */
  readonly tie: number | undefined
  /** The answer holds later records than were asked for: the end of the window is not heeded. */
  readonly unheeded: boolean
}

interface Pending extends Walk {
  readonly purpose: "newest" | "forward" | "backward"
  /** Answers of as many records are asked beyond, whatever is known of larger ones. */
  readonly toTheEnd: boolean
  /** Everything in the walk so far lies at or above it. */
  readonly reached: number | undefined
  /** An instant that filled a whole answer: only what is older tells whether it was cut off. */
  readonly filled: number | undefined
}

interface State {
  readonly cursor: TimeCursor | undefined
  readonly pending: ReadonlyArray<Pending>
}

export const timeWindows = <A, E, R>(
  options: TimeWindows<A, E, R>,
): Stream.Stream<TimeStep<A>, E, R> => {
  const advance = Effect.fnUntraced(function* (state: State) {
    const [walk, ...rest] = state.pending
    if (walk === undefined) return [[], Option.none()] as const
    const window: TimeWindow = { from: walk.from, to: walk.to }
    const answer = yield* options.read(window)
    const { step, next } = afterRead(options, state.cursor, walk, window, answer)
    return [
      [step],
      Option.some<State>({
        cursor: step.cursor,
        pending: next === undefined ? rest : [next, ...rest],
      }),
    ] as const
  })
  return Stream.paginate(start(options), advance)
}

const begin = { newest: undefined, reached: undefined, filled: undefined } as const

const start = <A, E, R>({ cursor, overlap, since, until }: TimeWindows<A, E, R>): State => {
  const walk = cursor?.walk
  const pending: Array<Pending> = []
  if (walk !== undefined) {
    const purpose = cursor?.through === undefined ? "newest" : "forward"
    pending.push({ ...begin, ...walk, reached: walk.to, purpose, toTheEnd: true })
  }
  const through = Math.max(cursor?.through ?? -Infinity, walk?.newest ?? -Infinity)
  if (through === -Infinity) {
    if (walk === undefined) {
      pending.push({ ...begin, from: since, to: until, purpose: "newest", toTheEnd: true })
    }
    return { cursor, pending }
  }
  const from = Math.max(cursor?.from ?? -Infinity, through - overlap - OVERLAP)
  if (until === undefined || until >= from) {
    pending.push({ ...begin, from, to: until, purpose: "forward", toTheEnd: false })
  }
  const read = cursor?.from
  if (read !== undefined && (since ?? -Infinity) < read) {
    const to = read + OVERLAP
    pending.push({ ...begin, from: since, to, purpose: "backward", toTheEnd: true })
  }
  return { cursor, pending }
}

const afterRead = <A, E, R>(
  { since }: TimeWindows<A, E, R>,
  cursor: TimeCursor | undefined,
  walk: Pending,
  window: TimeWindow,
  { content, times }: TimeRead<A>,
): { readonly step: TimeStep<A>; readonly next: Pending | undefined } => {
  const count = times.length
  const largest = Math.max(cursor?.largest ?? 0, count)
  const oldest = times.reduce((least, time) => Math.min(least, time), Infinity)
  const top = times.reduce((most, time) => Math.max(most, time), walk.newest ?? -Infinity)
  const newest = top === -Infinity ? undefined : top
  const unheeded = times.some((time) => time > (window.to ?? Infinity) + OVERLAP)
  const older = oldest < (walk.reached ?? Infinity)
  const full = count > 0 && (count >= largest || looksCutOff(count))
  // A service that stops short of the window for another reason than a count shows itself by giving more.
  const goesOn = full || (walk.toTheEnd && older)
  const ended = count === 0 || !goesOn || (unheeded && !older)
  const next = ended ? undefined : further(walk, newest, oldest, times)
  const tie =
    walk.filled !== undefined && older
      ? walk.filled
      : // So many records at one instant look like an answer cut off, even where nothing older tells.
        next?.filled !== undefined && count >= CAP_STEP
        ? next.filled
        : undefined
  const suspicious =
    walk.purpose === "forward" &&
    walk.reached === undefined &&
    count === 0 &&
    (walk.to ?? Infinity) >= (cursor?.through ?? Infinity)
  const settled: TimeCursor | undefined = suspicious
    ? cursor
    : moved(cursor, walk, next, { newest, largest, since })
  return {
    step: { window, content, count, cursor: settled, suspicious, tie, unheeded },
    next,
  }
}

/** The next window into the past: again what the answer ended with, as far as that leaves room for more. */
const further = (
  walk: Pending,
  newest: number | undefined,
  oldest: number,
  times: ReadonlyArray<number>,
): Pending | undefined => {
  const leavesRoom = (to: number): boolean =>
    to < (walk.to ?? Infinity) && times.some((time) => time > to)
  const shared = oldest + OVERLAP
  const exact = Math.ceil(oldest / MICROS_PER_MILLI) * MICROS_PER_MILLI
  const to = [shared, exact].find(leavesRoom)
  const reached = Math.min(oldest, walk.reached ?? Infinity)
  const onward = { ...walk, newest, reached }
  if (to !== undefined) return within({ ...onward, to, filled: undefined })
  // A service that keeps coarser time than asked gives the same again: leave that behind at a stroke.
  const again = walk.filled !== undefined && oldest >= walk.filled
  const beyond = (walk.to ?? Infinity) - (again ? OVERLAP : MICROS_PER_MILLI)
  return within({ ...onward, to: Math.min(exact - MICROS_PER_MILLI, beyond), filled: oldest })
}

/** Nothing is asked for below the start of the walk. */
const within = (walk: Pending): Pending | undefined =>
  walk.from !== undefined && walk.to !== undefined && walk.to < walk.from ? undefined : walk

const moved = (
  cursor: TimeCursor | undefined,
  walk: Pending,
  next: Pending | undefined,
  now: {
    readonly newest: number | undefined
    readonly largest: number
    readonly since: number | undefined
  },
): TimeCursor | undefined => {
  const { newest, largest, since } = now
  const before = { through: cursor?.through, from: cursor?.from, largest }
  if (next !== undefined) {
    const from =
      walk.purpose === "newest" ? (cursor === undefined ? since : cursor.from) : cursor?.from
    const { from: lowest, to } = next
    return walk.purpose === "backward"
      ? // What was read of it is read again should it be interrupted: the bound moves with it instead.
        { ...before, from: next.reached, walk: undefined }
      : { ...before, from, walk: { from: lowest, to, newest } }
  }
  if (walk.purpose === "backward") return { ...before, from: since, walk: undefined }
  if (newest === undefined && cursor === undefined) return undefined
  const through = Math.max(newest ?? -Infinity, cursor?.through ?? -Infinity)
  return {
    through: through === -Infinity ? undefined : through,
    from: cursor === undefined ? since : cursor.from,
    largest,
    walk: undefined,
  }
}
