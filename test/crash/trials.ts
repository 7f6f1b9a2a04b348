// Everything that a proof tries of a command: the states that deaths leave, and failures of single effects.
import type { Failure } from "./control.ts"
import { type Cut, digestOf, Disk, type State } from "./disk.ts"
import { type Kind, kinds, type Recorded } from "./journal.ts"

export const ways = [
  "kill",
  "torn",
  "data",
  "names",
  "killed",
  "ENOSPC",
  "EROFS",
  "EIO",
  "EIO-fsync",
  "EMFILE",
] as const
export type Way = (typeof ways)[number]

export interface Death {
  readonly way: Way
  /** The effect that no longer happens, or only half of it; from 1. */
  readonly at: number
}

export interface Trial {
  /** Deaths that leave the same; the first is the one that names it. */
  readonly deaths: ReadonlyArray<Death>
  /** How effects fail; absent where a death leaves a state. */
  readonly failure?: Failure
  /** Of that state. */
  readonly digest?: string
  /** The command had done everything. */
  readonly isOver?: boolean
}

const cuts: ReadonlyArray<Cut> = ["kill", "data", "names"]

/**
 * Without what a publication makes under a temporary name, which the next one removes before it reads anything: only that
 * something of it is there. `.tmp-unfinished` has a meaning, and stays.
 */
const withoutAside = (state: State): State => {
  const kept = new Map<string, Buffer | string>()
  for (const [path, content] of state) {
    const aside = /^(.*\/(?:parquet\/\.tmp|published\/\.tmp-)).+(?<!\.tmp-unfinished)$/.exec(
      path,
    )?.[1]
    if (aside === undefined) kept.set(path, content)
    else kept.set(`${aside} holds something`, "")
  }
  return kept
}

/** Equal for states from which the next commands do the same. */
export const digestOfDeath = (state: State): string => digestOf(withoutAside(state))

/** Each different state from effect `from` on once, with all deaths that leave it. */
export const statesOf = (
  before: string,
  effects: ReadonlyArray<Recorded>,
  from: number,
): ReadonlyArray<Trial> => {
  const trials = new Map<string, { readonly deaths: Array<Death>; readonly digest: string }>()
  for (const { death, state } of allStates(before, effects)) {
    if (death.at < from) continue
    const made = state()
    if (made === undefined) continue
    const digest = digestOfDeath(made)
    const known = trials.get(digest)
    if (known === undefined) trials.set(digest, { deaths: [death], digest })
    else known.deaths.push(death)
  }
  return [...trials.values()].map((trial) => ({
    ...trial,
    isOver: trial.deaths.some(({ at }) => at > effects.length),
  }))
}

/** The states of those trials, in their order. */
export function* statesFor(
  before: string,
  effects: ReadonlyArray<Recorded>,
  trials: ReadonlyArray<Trial>,
): Generator<readonly [Trial, State]> {
  const wanted = new Map(
    trials.flatMap((trial) => {
      const [death] = trial.deaths
      return death === undefined ? [] : [[`${death.way} ${death.at}`, trial] as const]
    }),
  )
  for (const { death, state } of allStates(before, effects)) {
    const trial = wanted.get(`${death.way} ${death.at}`)
    const made = trial === undefined ? undefined : state()
    if (trial !== undefined && made !== undefined) yield [trial, made]
  }
}

function* allStates(before: string, effects: ReadonlyArray<Recorded>) {
  const disk = Disk.of(before)
  for (const [done, effect] of [...effects, undefined].entries()) {
    const at = done + 1
    for (const way of cuts) yield { death: { way, at } as Death, state: () => disk.state(way) }
    if (effect !== undefined) {
      yield { death: { way: "torn", at } as Death, state: () => disk.torn(effect) }
      disk.apply(effect)
    }
  }
}

const changing: ReadonlyArray<Kind> = kinds.filter((kind) => kind !== "open" && kind !== "fsync")
/** What a full disk refuses. A file can be cut on one. */
const growing: ReadonlyArray<Kind> = ["create", "write", "mkdir", "link", "symlink", "rename"]

/** At most so many numbers from 1 to `count`, evenly spread; `turn` moves them. */
const spread = (count: number, wanted: number, turn: number): ReadonlyArray<number> =>
  count <= wanted
    ? Array.from({ length: count }, (_, at) => at + 1)
    : Array.from(
        { length: wanted },
        (_, at) => 1 + (Math.floor(((at + (turn % 10) / 10) * count) / wanted) % count),
      )

/** How often each kind of effect fails in each way, where there are so many. */
const TIMES = 20

/** `counts`: effects of the command, by kind. */
export const failuresOf = (counts: Readonly<Record<Kind, number>>): ReadonlyArray<Trial> => {
  const trials: Array<Trial> = []
  const add = (way: Way, failure: Omit<Failure, "at">, wanted: number): void => {
    const count = failure.kinds.reduce((sum, kind) => sum + counts[kind], 0)
    for (const at of spread(count, wanted, 3)) {
      trials.push({ deaths: [{ way, at }], failure: { ...failure, at } })
    }
  }
  for (const kind of growing) {
    add("ENOSPC", { way: "on", error: "ENOSPC", kinds: [kind], after: growing }, TIMES)
  }
  for (const kind of changing) {
    add("EROFS", { way: "on", error: "EROFS", kinds: [kind], after: changing }, TIMES)
    add("EIO", { way: "once", error: "EIO", kinds: [kind] }, TIMES)
  }
  add("EIO", { way: "once", error: "EIO", kinds: ["open"] }, TIMES)
  add("EIO-fsync", { way: "once", error: "EIO", kinds: ["fsync"] }, TIMES)
  add("EMFILE", { way: "on", error: "EMFILE", kinds: ["open"], after: ["open", "create"] }, TIMES)
  add("EMFILE", { way: "on", error: "EMFILE", kinds: ["create"], after: ["open", "create"] }, TIMES)
  add("killed", { way: "kill", error: "EIO", kinds: [...changing, "fsync"] }, TIMES)
  return trials
}

/** The name of a trial, for what is recorded and repeated. */
export const nameOf = ({ deaths: [death], failure }: Trial): string =>
  `${death?.way} ${failure === undefined || failure.kinds.length > 1 ? "" : `${failure.kinds[0]} `}${death?.at}`
