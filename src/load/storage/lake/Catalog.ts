// The connection to the database with the lake's catalog that vaulthouse keeps next to DuckDB's own: it holds the lock
// of a write transaction, and shows which runs are alive.
import type { Client } from "pg"
import { MICROS_PER_SECOND } from "../../../domain/values/time.ts"
import { type Claim, storedEntity } from "../../../domain/run/claim.ts"
import type { PostgresTarget } from "../../../domain/stores/postgresUrl.ts"
import { claimLost, WarehouseLocked } from "../../errors.ts"
import { connect, withoutTimeouts } from "../../postgres/connect.ts"
import { sqlFile } from "../../sql/sqlFile.ts"
import { describeServer, serverProblem } from "../../postgres/suitableServer.ts"
import { catalogError, catalogProblem } from "./catalogError.ts"
import { METADATA_SCHEMA, NEWEST, NOTES, ROW_COUNTS } from "./metadata.ts"
import { holdersOf, holdRun, TAKE_TURN, TRY_ALONE, TRY_ENTER } from "./locks.ts"
import type { Turn } from "../../duckdb/transaction.ts"

// A process sends something this often during its turn. The server ends the turn of one that is silent for longer: it was
// stopped, or its machine is asleep or gone.
const ALIVE_MILLIS = 3000
const SILENCE = "15s"

// A machine that is gone must not hold the lock until TCP's two hours are over.
const SESSION = `SET tcp_keepalives_idle = 20; SET tcp_keepalives_interval = 5; SET tcp_keepalives_count = 4;
  SET idle_in_transaction_session_timeout = '${SILENCE}'`

// More than this are not worth their time.
const MOST_NOTES = 100

const MAYBE_CHANGED = "the connection was lost, and other processes may have written since"
const KEPT_OUT =
  "the connection was lost, and now `move`, `replay`, `prune`, `compact` or `maintain` has the lake to itself"
const LOST =
  "it no longer has what was committed to it, as after a failover to a server that had not received it yet, or a restore"
const WAIT =
  "Start again once that has ended. What was not committed is read again by the next run."

/** A snapshot of DuckLake's: the same id with another time is another one. */
interface Snapshot {
  readonly id: string
  readonly time: string
}

export class Catalog {
  readonly #target: PostgresTarget
  readonly #runId: string
  #client: Client
  #isLost = false
  #isAlone = false
  /** The newest snapshot when the lake was opened, or after this process's last turn. */
  #snapshot: string | undefined
  /** As `#snapshot`, but kept while that is not known: what must still be there. */
  #last: Snapshot | undefined
  #clockAhead = 0
  #timeouts: ReadonlyArray<string> = []

  private constructor(target: PostgresTarget, runId: string, client: Client) {
    this.#target = target
    this.#runId = runId
    this.#client = client
  }

  /** Holds the run as alive until `close`, or until the process ends. */
  static async open(target: PostgresTarget, runId: string): Promise<Catalog> {
    try {
      const catalog = new Catalog(target, runId, await connect(target))
      await catalog.#begin()
      return catalog
    } catch (cause) {
      throw catalogError(target.shown, cause)
    }
  }

  /** Rejects if the server or the database takes no writes, or the database lacks characters. */
  async requireSuitable(): Promise<void> {
    const { shown } = this.#target
    try {
      const server = await describeServer(this.#client)
      const problem = serverProblem(this.#target, server, "warehouse")
      if (problem !== undefined) throw catalogProblem(shown, problem.why, problem.advice)
    } catch (cause) {
      throw catalogError(shown, cause)
    }
  }

  /** Keeps the lake open until `close`. Rejects with `WarehouseLocked` while another process is `alone`. */
  async enter(): Promise<void> {
    await this.#tryLock(TRY_ENTER)
  }

  /** Keeps other processes from entering until `close`. Rejects with `WarehouseLocked` if one has entered. */
  async alone(): Promise<void> {
    await this.#tryLock(TRY_ALONE)
    this.#isAlone = true
  }

  /** The folder of the lake's files; `undefined` if there is no lake yet. */
  async dataPath(): Promise<string | undefined> {
    const [found] = await this.rows(
      `SELECT to_regclass('${METADATA_SCHEMA}.ducklake_metadata') AS t`,
    )
    if (found?.["t"] === null) return undefined
    const [path] = await this.rows(
      `SELECT value FROM ${METADATA_SCHEMA}.ducklake_metadata WHERE key = 'data_path'`,
    )
    return path === undefined ? undefined : String(path["value"])
  }

  /** The server's settings that may end what other connections do. */
  get timeouts(): ReadonlyArray<string> {
    return this.#timeouts
  }

  /** Like `Database.rowCounts`, from DuckLake's own tables: a statement in DuckDB would read all of these again. */
  async rowCounts(): Promise<ReadonlyMap<string, number>> {
    const found = this.#isLost ? [] : await this.rows(ROW_COUNTS)
    return new Map(found.map(({ name, row_count }) => [String(name), Number(row_count)]))
  }

  async rows(
    sql: string,
    parameters?: ReadonlyArray<string>,
  ): Promise<ReadonlyArray<Readonly<Record<string, unknown>>>> {
    try {
      const values = parameters === undefined ? undefined : [...parameters]
      return (await this.#client.query<Record<string, unknown>>(sql, values)).rows
    } catch (cause) {
      throw catalogError(this.#target.shown, cause)
    }
  }

  /** Runs `work`, which creates the lake if there is none, while no other process does. */
  async creating(work: () => Promise<void>): Promise<void> {
    await this.#inTurn(work)
  }

  /**
   * To be called when the lake has been opened: what others write from now on, they note for this process. Also compares
   * this machine's clock with the database's, which all writers use.
   */
  async begin(): Promise<void> {
    await this.#remember()
  }

  /** Runs `work` while no other process writes the lake. */
  async exclusively<A>(work: (turn: Omit<Turn, "note">) => Promise<A>): Promise<A> {
    return this.#inTurn(async () => {
      // A separate statement: the one that waits sees the lake as it was when the wait began.
      const before = await this.#newestSnapshot()
      const others = await this.#notesBetween(this.#snapshot, before.id)
      this.#snapshot = undefined
      const result = await work({
        others,
        hold: (claims) => this.#hold(claims),
        beforeCommit: async () => void (await this.rows("SELECT 1")),
      })
      // If the connection was lost since COMMIT, the rows are committed all the same; the next turn reads the snapshot.
      await this.#remember().catch(() => undefined)
      return result
    })
  }

  async isRunning(runId: string): Promise<boolean> {
    const [found] = await this.rows(holdersOf(runId))
    return Number(found?.["holders"]) > 0
  }

  /** Microseconds by which the database's clock is ahead of this machine's. */
  get clockAhead(): number {
    return this.#clockAhead
  }

  async close(): Promise<void> {
    await this.#client.end().catch(() => undefined)
  }

  async #inTurn<A>(work: () => Promise<A>): Promise<A> {
    const client = await this.#takeTurn()
    const alive = setInterval(
      () => void client.query("SELECT 1").catch(() => undefined),
      ALIVE_MILLIS,
    )
    try {
      return await work()
    } finally {
      clearInterval(alive)
      // Also if the connection was lost, which released the lock.
      await client.query("COMMIT").catch(() => undefined)
    }
  }

  /** On a new connection if the last one was lost, which may be noticed only here. */
  async #takeTurn(): Promise<Client> {
    const take = `BEGIN; ${TAKE_TURN}; ${sqlFile("work", "end_late_commits")}`
    const isTaken =
      !this.#isLost &&
      (await this.#client.query(take).then(
        () => true,
        () => false,
      ))
    if (!isTaken) {
      await this.#reconnect()
      await this.rows(take)
    }
    return this.#client
  }

  async #hold(claims: ReadonlyArray<Claim>): Promise<void> {
    if (claims.length === 0) return
    const held = await this.rows(sqlFile("work", "held_claims"), [
      JSON.stringify(
        claims.map(({ runId: run_id, entity, ...claim }) => ({
          run_id,
          ...claim,
          entity: storedEntity(entity),
        })),
      ),
    ])
    const isHeld = ({ pipeline, entity }: Claim): boolean =>
      held.some((row) => row["pipeline"] === pipeline && row["entity"] === storedEntity(entity))
    const lost = claims.find((claim) => !isHeld(claim))
    if (lost !== undefined) throw claimLost(lost)
  }

  async #tryLock(take: string): Promise<void> {
    const [taken] = await this.rows(take)
    if (taken?.["is_held"] === true) return
    throw new WarehouseLocked({ file: this.#target.shown, holder: undefined })
  }

  async #begin(): Promise<void> {
    const client = this.#client
    const lose = (): void => {
      if (client === this.#client) this.#isLost = true
    }
    client.on("end", lose).on("error", lose)
    this.#timeouts = await withoutTimeouts(this.#client)
    await this.#client.query(SESSION)
    await this.#client.query(holdRun(this.#runId))
  }

  async #reconnect(): Promise<void> {
    const { shown } = this.#target
    try {
      await this.close()
      if (this.#isAlone) throw catalogProblem(shown, MAYBE_CHANGED, "Run the command again.")
      this.#client = await connect(this.#target)
      await this.#begin()
      // Until it has entered, every turn tries again.
      await this.enter()
      this.#isLost = false
    } catch (cause) {
      this.#isLost = true
      await this.close()
      if (cause instanceof WarehouseLocked) throw catalogProblem(shown, KEPT_OUT, WAIT)
      throw catalogError(this.#target.shown, cause)
    }
  }

  /** `undefined` if a transaction between the two has no note; each transaction makes one snapshot. */
  async #notesBetween(
    last: string | undefined,
    newest: string,
  ): Promise<ReadonlyArray<string> | undefined> {
    if (last === newest) return []
    const count = Number(newest) - Number(last)
    if (last === undefined || !(count > 0 && count <= MOST_NOTES)) return undefined
    const found = await this.rows(NOTES, [last])
    const notes = found.flatMap(({ note }) => (typeof note === "string" ? [note] : []))
    return notes.length === count ? notes : undefined
  }

  async #remember(): Promise<void> {
    this.#last = await this.#newestSnapshot()
    this.#snapshot = this.#last.id
  }

  /** Rejects if the catalog lacks what this process has seen there: a cursor may be ahead of rows that are gone. */
  async #newestSnapshot(): Promise<Snapshot> {
    const last = this.#last
    const sentAt = Date.now()
    const [found] = await this.rows(NEWEST, [last?.id ?? "-1"])
    const here = (sentAt + Date.now()) / 2
    this.#clockAhead = Math.round(Number(found?.["now"]) * MICROS_PER_SECOND - here * 1000)
    const newest = { id: String(found?.["id"]), time: String(found?.["time"]) }
    // One that has expired is not there any more; its id is never given again.
    const known = found?.["known"] ?? last?.time
    if (last !== undefined && (Number(newest.id) < Number(last.id) || known !== last.time)) {
      throw catalogProblem(this.#target.shown, LOST, "Run the command again: it reads from there.")
    }
    return newest
  }
}
