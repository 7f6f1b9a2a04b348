// A discrete-event simulation of a year of hourly and daily passes: workers take claims, share one rate limit and
// queue for one lock to commit; the claim of a worker that dies is taken again when its lease has run out.
// Deterministic.

/** The work of one pipeline in a pass. */
export interface Work {
  readonly stage: number
  readonly tasks: number
  readonly requests: number
  readonly changedRows: number
  /** Processor time of one worker for all of it, in seconds. */
  readonly cpuSeconds: number
}

export interface Setting {
  readonly workers: number
  /** The rate the service allows all workers together. */
  readonly requestsPerSecond: number
  /** One worker's ceiling: its requests in flight divided by the latency. */
  readonly workerRequestsPerSecond: number
  readonly groupTasks: number
  /** Seconds under the lock: of a commit, of each task in it and of each changed row. */
  readonly commit: { readonly each: number; readonly task: number; readonly row: number }
  readonly failure: {
    readonly between: number
    readonly lease: number
    readonly restart: number
  }
  readonly first: ReadonlyArray<Work>
  readonly hourly: ReadonlyArray<Work>
  readonly daily: ReadonlyArray<Work>
  readonly seconds: number
  /** Tasks of one claim; more makes the simulation coarser and faster. */
  readonly grain: number
}

export interface Simulated {
  readonly firstSyncSeconds: number
  /**
   * Passes over the hourly pipelines after the first sync: their number, and the time from the start of one to the
   * start of the next.
   */
  readonly passes: number
  readonly intervalSeconds: { readonly median: number; readonly longest: number }
  readonly requests: number
  readonly repeatedRequests: number
  readonly tasks: number
  readonly changedRows: number
  readonly commits: number
  readonly deaths: number
  /** Shares of the time. */
  readonly busy: { readonly limit: number; readonly lock: number; readonly workers: number }
}

interface Claim {
  readonly tasks: number
  readonly requests: number
  readonly changedRows: number
  readonly cpuSeconds: number
  /** A claim of a dead worker waits for its lease. */
  readonly notBefore: number
}

const HOUR = 3600
const DAY = 24 * HOUR
/** A worker reads on while this many of its claims wait for the lock. */
const WAITING_CLAIMS = 2

/** Random numbers that are the same in every run (mulberry32). */
const randomNumbers = (seed: number): (() => number) => {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296
  }
}

const claimsOf = (work: Work, grain: number): ReadonlyArray<Claim> => {
  const count = Math.ceil(work.tasks / grain)
  const share = partOf({ ...work, notBefore: 0 }, 1 / count)
  return Array.from({ length: count }, () => share)
}

const partOf = (claim: Claim, part: number): Claim => ({
  tasks: claim.tasks * part,
  requests: claim.requests * part,
  changedRows: claim.changedRows * part,
  cpuSeconds: claim.cpuSeconds * part,
  notBefore: claim.notBefore,
})

const median = (values: ReadonlyArray<number>): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN

export const simulate = (setting: Setting): Simulated => {
  const { requestsPerSecond, workerRequestsPerSecond, commit, failure } = setting
  const random = randomNumbers(1)
  const sums = { requests: 0, repeated: 0, tasks: 0, changedRows: 0, commits: 0, deaths: 0 }
  const busy = { limit: 0, lock: 0, workers: 0 }
  // When the shared rate limit, the lock and each worker are free again.
  let limitFree = 0
  let lockFree = 0
  const lifetime = () => -Math.log(1 - random()) * failure.between
  const workers = Array.from({ length: setting.workers }, () => ({
    freeAt: 0,
    diesAt: lifetime(),
    commits: [] as Array<number>,
  }))

  const earliest = () =>
    workers.reduce((first, worker) => (worker.freeAt < first.freeAt ? worker : first))

  /** Commits the claim, read by `read`, when the lock is free; returns when that is done. */
  const commitClaim = (claim: Claim, read: number): number => {
    const commits = Math.ceil(claim.tasks / setting.groupTasks)
    const held = commits * commit.each + claim.tasks * commit.task + claim.changedRows * commit.row
    lockFree = Math.max(lockFree, read) + held
    busy.lock += held
    sums.commits += commits
    sums.tasks += claim.tasks
    sums.changedRows += claim.changedRows
    return lockFree
  }

  /** Runs all claims of one stage from `now` on; returns when the last is committed. */
  const runStage = (now: number, claims: ReadonlyArray<Claim>): number => {
    const queue = [...claims]
    let end = now
    for (let at = 0; at < queue.length; at += 1) {
      const claim = queue[at] as Claim
      const worker = earliest()
      const begin = Math.max(now, worker.freeAt, claim.notBefore)
      // The death of an idle worker costs nothing.
      while (worker.diesAt + failure.restart < begin) {
        worker.diesAt += failure.restart + lifetime()
        sums.deaths += 1
      }
      // All requests of the claim count towards the shared limit; a worker's own pace may be slower.
      const turn = claim.requests / requestsPerSecond
      limitFree = Math.max(limitFree, begin) + turn
      busy.limit += turn
      const own = Math.max(claim.requests / workerRequestsPerSecond, claim.cpuSeconds)
      const read = Math.max(limitFree, begin + own)
      busy.workers += own
      sums.requests += claim.requests
      const died = Math.max(begin, worker.diesAt)
      if (died < read) {
        // What it has committed stays; the rest is read again.
        const sent = (died - begin) / (read - begin)
        const group = setting.groupTasks / claim.tasks
        const kept = Math.floor(sent / group) * group
        if (kept > 0) end = Math.max(end, commitClaim(partOf(claim, kept), died))
        queue.push({ ...partOf(claim, 1 - kept), notBefore: died + failure.lease })
        sums.requests -= claim.requests * (1 - sent)
        sums.repeated += claim.requests * (sent - kept)
        sums.deaths += 1
        worker.freeAt = died + failure.restart
        worker.diesAt = worker.freeAt + lifetime()
        worker.commits = []
        continue
      }
      end = Math.max(end, commitClaim(claim, read))
      worker.commits.push(lockFree)
      const waited = worker.commits.length > WAITING_CLAIMS ? worker.commits.shift() : undefined
      worker.freeAt = Math.max(read, waited ?? 0)
    }
    return end
  }

  const runPass = (now: number, pass: ReadonlyArray<Work>): number =>
    [...Map.groupBy(pass, ({ stage }) => stage)]
      .toSorted(([one], [other]) => one - other)
      .reduce(
        (at, [, works]) =>
          runStage(
            at,
            works.flatMap((work) => claimsOf(work, setting.grain)),
          ),
        now,
      )

  const firstSyncSeconds = runPass(0, setting.first)
  let now = firstSyncSeconds
  let nextDaily = Math.ceil(now / DAY) * DAY
  const starts: Array<number> = []
  // A pass that is late begins at once, and makes up for all that were missed.
  while (now < firstSyncSeconds + setting.seconds) {
    starts.push(now)
    const isDaily = now >= nextDaily
    if (isDaily) nextDaily = (Math.floor(now / DAY) + 1) * DAY
    const done = runPass(now, isDaily ? [...setting.hourly, ...setting.daily] : setting.hourly)
    now = Math.max(done, (Math.floor(now / HOUR) + 1) * HOUR)
  }
  const intervals = starts.slice(1).map((start, at) => start - (starts[at] ?? 0))
  const whole = Math.max(now, 1)
  return {
    firstSyncSeconds,
    passes: starts.length,
    intervalSeconds: { median: median(intervals), longest: Math.max(...intervals) },
    requests: sums.requests,
    repeatedRequests: sums.repeated,
    tasks: sums.tasks,
    changedRows: sums.changedRows,
    commits: sums.commits,
    deaths: sums.deaths,
    busy: {
      limit: busy.limit / whole,
      lock: busy.lock / whole,
      workers: busy.workers / whole / setting.workers,
    },
  }
}
