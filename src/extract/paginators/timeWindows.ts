// Reads records that can be requested between two instants, newest first, both ends inclusive. Whether a response is
// cut off, and at how many records, is not documented (§4.3): only the responses themselves show it.
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import { CAP_STEP, looksCutOff } from "./plausibleCap.ts"

const MICROS_PER_MILLI = 1000
/** Windows overlap by this much, since the service may store finer or coarser times than the wire carries. */
const OVERLAP = 1_000_000

/** Microseconds since 1970, both ends inclusive; an absent end is open. */
export interface TimeWindow {
  readonly from?: number | undefined
  readonly to?: number | undefined
}

/** A range that has been read down to `to`, but not to its start. */
interface PendingRead {
  readonly from?: number | undefined
  readonly to?: number | undefined
  /** Newest record in it. */
  readonly newest?: number | undefined
}

export interface TimeCursor {
  /** Newest record read: the high-water mark; `undefined` before the first reading ends. */
  readonly through?: number | undefined
  /** Where reading was limited (`since`); `undefined` where everything was requested. */
  readonly from?: number | undefined
  /**
   * The most records of any response. A response with fewer was whole, since the service can return this many at once.
   */
  readonly largest: number
  readonly pending?: PendingRead | undefined
}

/** What one response held; `times` in microseconds, one for each record, in any order. */
export interface TimeRead<A> {
  readonly content: A
  readonly times: ReadonlyArray<number>
  /** Number of records, where some have no time. */
  readonly count?: number
}

export interface TimeWindows<A, E, R> {
  readonly cursor: TimeCursor | undefined
  /** How long before the high-water mark records may still arrive or change. */
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
  /** The window had records before and is now empty. */
  readonly suspicious: boolean
  /** An instant with more records than a response holds: some of them can't be read. */
  readonly tie: number | undefined
  /** The response has records after the window: the service ignores its end. */
  readonly ignoresEnd: boolean
}

interface Pending extends PendingRead {
  readonly purpose: "newest" | "forward" | "backward"
  /** Whether to read on after every response, however many records it has. */
  readonly toTheEnd: boolean
  /** The oldest record of the range so far. */
  readonly reached: number | undefined
  /** An instant that filled a whole response: only older records show whether it was cut off. */
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
    const [range, ...rest] = state.pending
    if (range === undefined) return [[], Option.none()] as const
    const window: TimeWindow = { from: range.from, to: range.to }
    const response = yield* options.read(window)
    const { step, next } = afterRead(options, state.cursor, range, window, response)
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
  const range = cursor?.pending
  const pending: Array<Pending> = []
  if (range !== undefined) {
    const purpose = cursor?.through === undefined ? "newest" : "forward"
    pending.push({ ...begin, ...range, reached: range.to, purpose, toTheEnd: true })
  }
  const through = Math.max(cursor?.through ?? -Infinity, range?.newest ?? -Infinity)
  if (through === -Infinity) {
    if (range === undefined) {
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
  range: Pending,
  window: TimeWindow,
  { content, times, count = times.length }: TimeRead<A>,
): { readonly step: TimeStep<A>; readonly next: Pending | undefined } => {
  const largest = Math.max(cursor?.largest ?? 0, count)
  const oldest = times.reduce((least, time) => Math.min(least, time), Infinity)
  const top = times.reduce((most, time) => Math.max(most, time), range.newest ?? -Infinity)
  const newest = top === -Infinity ? undefined : top
  const ignoresEnd = times.some((time) => time > (window.to ?? Infinity) + OVERLAP)
  const older = oldest < (range.reached ?? Infinity)
  const full = count > 0 && (count >= largest || looksCutOff(count))
  // A service may stop short for a reason other than a count: only another request shows it.
  const goesOn = full || (range.toTheEnd && older)
  const ended = count === 0 || !goesOn || (ignoresEnd && !older)
  const next = ended ? undefined : further(range, newest, oldest, times)
  const tie =
    range.filled !== undefined && older
      ? range.filled
      : // So many records at one instant look like a cut-off response, even if nothing older follows.
        next?.filled !== undefined && count >= CAP_STEP
        ? next.filled
        : undefined
  const suspicious =
    range.purpose === "forward" &&
    range.reached === undefined &&
    count === 0 &&
    (range.to ?? Infinity) >= (cursor?.through ?? Infinity)
  const nextCursor: TimeCursor | undefined = suspicious
    ? cursor
    : moved(cursor, range, next, { newest, largest, since })
  return {
    step: { window, content, count, cursor: nextCursor, suspicious, tie, ignoresEnd },
    next,
  }
}

/** The next window into the past: it repeats the end of the response, as far as that leaves room for more. */
const further = (
  range: Pending,
  newest: number | undefined,
  oldest: number,
  times: ReadonlyArray<number>,
): Pending | undefined => {
  const leavesRoom = (to: number): boolean =>
    to < (range.to ?? Infinity) && times.some((time) => time > to)
  const shared = oldest + OVERLAP
  const exact = Math.ceil(oldest / MICROS_PER_MILLI) * MICROS_PER_MILLI
  const to = [shared, exact].find(leavesRoom)
  const reached = Math.min(oldest, range.reached ?? Infinity)
  const onward = { ...range, newest, reached }
  if (to !== undefined) return within({ ...onward, to, filled: undefined })
  // A service with coarser times would return the same again: skip it.
  const again = range.filled !== undefined && oldest >= range.filled
  const beyond = (range.to ?? Infinity) - (again ? OVERLAP : MICROS_PER_MILLI)
  return within({ ...onward, to: Math.min(exact - MICROS_PER_MILLI, beyond), filled: oldest })
}

/** Limits a window to the start of the range. */
const within = (range: Pending): Pending | undefined =>
  range.from !== undefined && range.to !== undefined && range.to < range.from ? undefined : range

const moved = (
  cursor: TimeCursor | undefined,
  range: Pending,
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
      range.purpose === "newest" ? (cursor === undefined ? since : cursor.from) : cursor?.from
    const { from: lowest, to } = next
    return range.purpose === "backward"
      ? // If interrupted, the part read so far is read again, so the bound moves with it instead.
        { ...before, from: next.reached, pending: undefined }
      : { ...before, from, pending: { from: lowest, to, newest } }
  }
  if (range.purpose === "backward") return { ...before, from: since, pending: undefined }
  if (newest === undefined && cursor === undefined) return undefined
  const through = Math.max(newest ?? -Infinity, cursor?.through ?? -Infinity)
  return {
    through: through === -Infinity ? undefined : through,
    from: cursor === undefined ? since : cursor.from,
    largest,
    pending: undefined,
  }
}
