// Workers that share a lake: runs whose workers and planners are killed, stopped and late make the same tables as one
// process makes in a file.
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest"
import { type Simulator, startSimulator } from "../../../simulator/index.ts"
import { folderStore } from "../../../src/archive/folderStore.ts"
import { readWholeFrames } from "../../../src/archive/readFrames.ts"
import { runOfSegment, unendedSegments } from "../../../src/archive/segments.ts"
import { vaulthouse } from "../../cli/command.ts"
import { newPrefix, objectStoreVariables } from "../../support/servers/objectStore.ts"
import { sharedPostgres } from "../../support/servers/postgres.ts"
import { lake as installed } from "../lake.ts"
import {
  differences,
  type LakeOptions,
  type Process,
  sharedLake,
  type SharedLake,
} from "./sharedRun.ts"
import { until } from "../../support/until.ts"

// Snapshots and histories, of vaults and subaccounts, some that need a key, in three stages; and few, since each of their
// commits takes its turn in the lake.
const pipelines = ["ratio_history", "pnl_history", "audit_log", "whitelist_status", "transactions"]

const latencyMs = 60

let simulator: Simulator
let alone: string
let lake: SharedLake

const open = async (options: Omit<LakeOptions, "baseUrl"> = {}) => {
  lake = await sharedLake({ baseUrl: simulator.url, ...options })
  return lake
}

const output = (...processes: ReadonlyArray<Process>): string =>
  processes.map((each) => each.output()).join("")

/** How many tasks of the run, but the first, are planned and not done; of those that fulfil a condition. */
const left = async (condition = "true"): Promise<number> => {
  const found = await lake.work(
    `select 1 from vaulthouse_work.claims where pipeline <> 'vaults' and not is_done and ${condition}`,
  )
  return found.length
}

/** How many tasks a worker has claimed and not done. */
const heldBy = ({ child }: Process): Promise<number> => left(`worker like '%-${child.pid}-%'`)

const archive = () => folderStore(join(lake.folder, "data", "raw"))

// The keys of the lock of a lake's writers.
const WRITERS = "1986098540, 1"

/** Halts a worker with tasks in hand, responses in the archive, and no commit, since that would hold up the others. */
const halted = (worker: Process): Promise<true> =>
  until("it is halted with tasks in hand", async () => {
    const { child } = worker
    child.kill("SIGSTOP")
    const name = `-${child.pid}-`
    const commits = await lake.work(
      `select 1 from pg_locks where locktype = 'advisory' and (classid, objid) = (${WRITERS})`,
    )
    const segments = await archive().segments()
    const isSo =
      commits.length === 0 &&
      segments.some(({ file, bytes }) => bytes > 0 && file.includes(name)) &&
      (await heldBy(worker)) > 1
    if (!isSo) child.kill("SIGCONT")
    return isSo
  })

/** Every row of the lake, and of the file that one process filled. */
const expectSameTables = async () => {
  expect(await differences(join(alone, "data", "vaulthouse.duckdb"), lake)).toEqual([])
  expect(await lake.work("select run_id from vaulthouse_work.runs")).toEqual([])
  expect(await lake.work("select id from vaulthouse_work.queue")).toEqual([])
}

describe.skipIf(installed === undefined)("workers", () => {
  beforeAll(async () => {
    simulator = await startSimulator({
      slowReadMs: 0,
      vaults: 4,
      days: 40,
      subaccounts: 8,
      now: "2026-06-01T00:00:00Z",
      latencyMs,
      serverCaches: false,
    })
    alone = await mkdtemp(join(tmpdir(), "vaulthouse-alone-"))
    await writeFile(join(alone, "vaulthouse.config.yaml"), `baseUrl: ${simulator.url}\n`)
    const { code, stderr } = await vaulthouse(["sync", "--no-publish", ...pipelines], {
      cwd: alone,
      env: { VAULTHOUSE_API_KEY: "demo-admin-key" },
    })
    expect(code, stderr).toBe(0)
  })
  afterAll(async () => {
    await simulator.close()
    await rm(alone, { recursive: true, force: true })
  })
  afterEach(async () => {
    simulator.patch({ latencyMs })
    await lake.close()
  })

  it("finish a run whose planner and one of whose workers are killed, after the lease", async () => {
    await open()
    const [first, ...others] = [
      await lake.worker(),
      await lake.worker(),
      await lake.worker(),
      await lake.worker(),
    ]
    const killed = await lake.planner(...pipelines)
    await until("some tasks are done", async () => (await lake.done()) > 5)
    const compared = await lake.run(
      ["check", "--against-archive", "--data-dir", join(lake.folder, "elsewhere")],
      [`archive: ${lake.folder}/data/raw`],
    )
    const [run] = await lake.work("select run_id from vaulthouse_work.runs")
    killed.child.kill("SIGKILL")
    await until("a worker says that nobody plans", () =>
      /is gone: workers read/.test(first.output()),
    )
    first.child.kill("SIGKILL")
    const planner = await lake.run(
      ["sync", "--workers", ...pipelines],
      ["parquet: { enabled: false }"],
    )
    expect(await planner.ended, output(planner, ...others)).toBe(0)
    expect(planner.output()).toContain(
      `continues run ${String(run?.["run_id"])} (sync ${pipelines.join(" ")}), whose planner`,
    )
    // The one that was killed could have published by the run's id, and a copy never changes.
    const current = JSON.parse(
      await readFile(join(lake.folder, "data/published/current.json"), "utf8"),
    ) as { readonly file: string }
    expect(current.file).toMatch(/^vaulthouse-publish-/)
    expect(output(...others)).toMatch(/has a planner again/)
    // While others committed.
    expect(await compared.ended, output(compared)).toBe(0)
    expect(compared.output()).toMatch(/match the [1-9]\d* responses, bit for bit/)
    await expectSameTables()
  })

  it("read by a new plan once another run has recorded tasks, which may have moved the cursors", async () => {
    await open()
    const killed = await lake.planner("audit_log")
    const opened = () => lake.work("select run_id from vaulthouse_work.runs")
    await until("it has planned a task", async () => {
      const claims = await lake.work("select 1 from vaulthouse_work.claims")
      return claims.length > 0
    })
    const [run] = await opened()
    killed.child.kill("SIGKILL")
    await killed.ended
    const plain = await lake.run(["sync", "--no-publish", "audit_log"])
    expect(await plain.ended, output(plain)).toBe(0)
    expect(await opened()).toEqual([run])
    const worker = await lake.worker()
    const planner = await lake.planner("audit_log")
    expect(await planner.ended, output(planner, worker)).toBe(0)
    expect(planner.output()).toContain(
      `abandons run ${String(run?.["run_id"])} (sync audit_log), whose planner`,
    )
    expect(planner.output()).toContain("is gone: another run has recorded tasks since")
    expect(planner.output()).not.toContain("continues run")
    expect(await opened()).toEqual([])
  })

  it("read the file of the API key before each run that they join", async () => {
    await open()
    const file = join(lake.folder, "key")
    const variable = { VAULTHOUSE_API_KEY_FILE: file }
    const sync = ["sync", "--workers", "--no-publish", "my_subaccounts"]
    const replaceKey = async (key: string) => {
      simulator.patch({ keys: { [key]: "admin" } })
      await writeFile(file, `${key}\n`, { mode: 0o600 })
    }
    await replaceKey("demo-admin-key")
    const worker = await lake.run(["worker"], [], variable)
    const first = await lake.run(sync, [], variable)
    expect(await first.ended, output(first, worker)).toBe(0)
    await replaceKey("next-admin-key")
    try {
      const second = await lake.run(sync, [], variable)
      // Without a worker it would wait for one.
      const workerEnded = worker.ended.then((code) => `the worker ended with ${code}`)
      const ended = await Promise.race([second.ended, workerEnded])
      expect(ended, output(second, worker)).toBe(0)
    } finally {
      await replaceKey("demo-admin-key")
    }
  })

  it("go on, as their planner does, once PostgreSQL is there again, and lose nothing of the archive", async () => {
    const kept = newPrefix()
    await open({ archive: kept })
    const workers = [await lake.worker(), await lake.worker()]
    const planner = await lake.planner(...pipelines)
    await until("some tasks are done", async () => (await lake.done()) > 5)
    const [run] = await lake.work("select run_id from vaulthouse_work.runs")
    const name = new URL(lake.catalog).pathname.slice(1)
    const { query } = sharedPostgres()
    await query(`alter database ${name} allow_connections false`)
    await lake.work(
      "select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()",
    )
    await until("all say what they wait for", () =>
      [planner, ...workers].every((each) => /waits for PostgreSQL postgres:/.test(each.output())),
    )
    await query(`alter database ${name} allow_connections true`)
    expect(await planner.ended, output(planner, ...workers)).toBe(0)
    expect(planner.output()).toContain(`continues run ${String(run?.["run_id"])}`)
    for (const { output: text } of workers)
      expect(text()).toMatch(/is connected to PostgreSQL .* again/)
    await expectSameTables()
    // The next run ends the segments that were left.
    const next = await lake.planner("vaults")
    expect(await next.ended, output(next, ...workers)).toBe(0)
    const cwd = join(lake.folder, "rebuilt")
    await mkdir(cwd)
    await writeFile(
      join(cwd, "vaulthouse.config.yaml"),
      `baseUrl: ${simulator.url}\narchive: ${kept}\nparquet: { enabled: false }\n`,
    )
    const replayed = await vaulthouse(["replay"], { cwd, env: objectStoreVariables() })
    expect(replayed, replayed.stdout + replayed.stderr).toMatchObject({ code: 0 })
    const differing = await differences(join(cwd, "data", "vaulthouse.duckdb"), lake)
    expect(differing.filter((table) => table.startsWith("core."))).toEqual([])
  })

  it("refuse what one commits that was silent for longer than its lease, and mark it so", async () => {
    // So each task that it claims waits for the service when it is halted, and has committed nothing.
    simulator.patch({ latencyMs: 3000 })
    await open()
    const late = await lake.worker()
    const planner = await lake.planner(...pipelines)
    await halted(late)
    const hanging = await lake.worker()
    await until("another has claimed what it held", async () => (await heldBy(late)) === 0)
    late.child.kill("SIGCONT")
    await halted(hanging)
    await until("it is refused", () => late.output().includes("is no longer this worker's"))
    simulator.patch({ latencyMs })
    const other = await lake.worker()
    expect(await planner.ended, output(planner, late, other)).toBe(0)
    const store = archive()
    const segments = await store.segments()
    const uncommitted: Array<string> = []
    for (const { file } of segments) {
      for await (const { ends } of readWholeFrames(store, file)) {
        uncommitted.push(...ends.flatMap((end) => end.uncommitted))
      }
    }
    expect(uncommitted).not.toEqual([])
    await expectSameTables()

    // One hangs though the run is over: the next run ends its segment, and then so does it.
    const runId = runOfSegment(segments[0]?.file ?? "")
    await until(
      "the others have left",
      async () => (await unendedSegments(store, runId)).length === 1,
    )
    const [segment = "", ...others] = await unendedSegments(store, runId)
    expect([segment, others]).toEqual([expect.stringContaining(`-${hanging.child.pid}-`), []])
    const next = await lake.planner("vaults")
    expect(await next.ended, output(next)).toBe(0)
    expect(await unendedSegments(store, runId)).toEqual([])
    hanging.child.kill("SIGCONT")
    await until("it has left", () => hanging.output().includes(`leaves run ${runId}`))
    let ends = 0
    for await (const frame of readWholeFrames(store, segment)) ends += frame.ends.length
    expect(ends, hanging.output()).toBe(2)
    expect(await unendedSegments(store, runId)).toEqual([])
  })

  it("read a task again that another claimed of them, and left", async () => {
    simulator.patch({ latencyMs: 3000 })
    await open()
    const worker = await lake.worker()
    const planner = await lake.planner("vaults")
    await until("the worker has claimed the task", async () => {
      const moved = await lake.work(
        "update vaulthouse_work.claims set epoch = 2, worker = 'gone' where epoch = 1 returning 1",
      )
      return moved.length > 0
    })
    expect(await planner.ended, output(planner, worker)).toBe(0)
    expect(worker.output()).toContain("is no longer this worker's")
  })

  it("record a task as failed when the last of twenty in turn is killed that held it", async () => {
    await open()
    const planner = await lake.planner("ratio_history")
    await until("a task is offered", async () => {
      const offered = await lake.work("select 1 from vaulthouse_work.queue")
      return offered.length > 0
    })
    // As if nineteen had ended while they read the first history, and eighteen while they read the others.
    await lake.work(`
      create function vaulthouse_work.earlier() returns trigger language plpgsql as $$
      begin
        select case place when 0 then 19 else 18 end into strict new.attempts
        from vaulthouse_work.claims
        where run_id = new.queue_name and pipeline = 'ratio_history' and position(entity in new.element) > 0;
        return new;
      end $$;
      create trigger earlier before insert on vaulthouse_work.queue for each row
      when (new.element like '%ratio_history%') execute function vaulthouse_work.earlier()`)
    const last = await lake.worker()
    // None is read before all are claimed.
    simulator.patch({ latencyMs: 3000 })
    await until("the histories are planned", async () => (await left()) > 0)
    // Nothing is committed meanwhile.
    await lake.work(`select pg_advisory_lock(${WRITERS})`)
    await until("it has claimed them", async () => (await left("epoch = 0")) === 0)
    last.child.kill("SIGKILL")
    await last.ended
    simulator.patch({ latencyMs })
    await lake.work(`select pg_advisory_unlock(${WRITERS})`)
    const other = await lake.worker()
    expect(await planner.ended, output(planner, other)).toBe(3)
    expect(planner.output()).toContain(
      "Errors in 1 task:\n  ratio_history: workers that held it ended or failed 20 times; their logs say why",
    )
  })

  it("are waited for, refused by name, and give their tasks back when they are stopped", async () => {
    // Longer than the test may last.
    await open({ lease: 300 })
    const planner = await lake.planner(...pipelines)
    await until("the planner says that it waits", () =>
      /waiting for workers since/.test(planner.output()),
    )
    const second = await lake.planner(...pipelines)
    expect(await second.ended).toBe(75)
    expect(second.output()).toMatch(/the warehouse is in use by process \d+ on /)
    // What is committed next may refer to what the archive holds now, and no replay would have it.
    const commands = ["compact", "prune --older-than 1d", "replay", "replay --quarantine"]
    for (const command of commands) {
      const elsewhere = join(lake.folder, "elsewhere")
      const refused = await lake.run([...command.split(" "), "--data-dir", elsewhere])
      expect(await refused.ended).toBe(1)
      expect(refused.output()).toMatch(/the run \S+ is in progress/)
    }
    const otherwise = await lake.worker(["overlapDays: 9"])
    expect(await otherwise.ended).toBe(2)
    expect(otherwise.output()).toContain(
      "plans with other settings: overlapDays is 2 there, 9 here",
    )
    const stopped = await lake.worker()
    await until("some tasks are done", async () => (await lake.done()) > 5)
    stopped.child.kill("SIGTERM")
    const other = await lake.worker()
    expect(await stopped.ended).toBe(0)
    expect(stopped.output()).toContain("its tasks went back to the others")
    expect(await planner.ended, output(planner, other)).toBe(0)
    await expectSameTables()
    await lake.work("insert into vaulthouse_work.migrations values (99, now(), 'later')")
    const older = await lake.worker()
    expect(await older.ended).toBe(1)
    expect(older.output()).toContain("was made by a newer version of vaulthouse")
  })
})
