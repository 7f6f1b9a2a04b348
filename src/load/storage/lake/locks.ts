// The advisory locks of a lake, as SQL. They belong to one database; the first key keeps vaulthouse's apart from those of
// other programs.
const LOCKS = 0x7661_756c
const WRITERS = 1
// Held in shared mode by every process that has the lake open, and exclusively by a process that must be alone.
const OPEN = 2
const RUNS = LOCKS + 1

export const TAKE_TURN = `SELECT pg_advisory_xact_lock(${LOCKS}, ${WRITERS})`

export const TRY_ENTER = `SELECT pg_try_advisory_lock_shared(${LOCKS}, ${OPEN}) AS is_held`

export const TRY_ALONE = `SELECT pg_try_advisory_lock(${LOCKS}, ${OPEN}) AS is_held`

/** Shows until the session ends that the run is alive. */
export const holdRun = (runId: string): string =>
  `SELECT pg_advisory_lock_shared(${RUNS}, ${signed(keyOf(runId))})`

/** The number of other sessions that hold the run. */
export const holdersOf = (runId: string): string =>
  `SELECT count(*)::int AS holders FROM pg_locks WHERE locktype = 'advisory'
     AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
     AND classid = ${RUNS} AND objid = ${keyOf(runId)} AND pid <> pg_backend_pid()`

/** 32 bits of a run's id, as pg_locks shows them. */
const keyOf = (runId: string): number => {
  let key = 0x811c_9dc5
  for (const character of runId) key = Math.imul(key ^ (character.codePointAt(0) ?? 0), 0x0100_0193)
  return key >>> 0
}

/** As a signed number, which the advisory lock functions take. */
const signed = (key: number): number => key | 0
