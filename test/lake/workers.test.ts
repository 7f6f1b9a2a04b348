// Workers that share a lake: runs whose workers and planners are killed, stopped and late make the same tables as one
// process makes in a file.
import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest"
import { type Simulator, startSimulator } from "../../simulator/index.ts"
import { folderStore } from "../../src/archive/folderStore.ts"
import { readWholeFrames } from "../../src/archive/segments.ts"
import { vaulthouse } from "../cli/command.ts"
import { sharedPostgres } from "../support/postgres.ts"
import { lake as installed } from "./lake.ts"
import {
  differences,
  type LakeOptions,
  type Process,
  sharedLake,
  type SharedLake,
  until,
} from "./sharedRun.ts"

// Snapshots and histories, of vaults and subaccounts, some that need a key, in three stages; and few, since each of their
// commits takes its turn in the lake.
const pipelines = ["ratio_history", "pnl_history", "audit_log", "whitelist_status", "transactions"]

let simulator: Simulator
let alone: string
let lake: SharedLake

const open = async (options: Omit<LakeOptions, "baseUrl"> = {}) => {
  lake = await sharedLake({ baseUrl: simulator.url, ...options })
  return lake
}

const output = (...processes: ReadonlyArray<Process>): string =>
  processes.map((each) => each.output()).join("")

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
      latencyMs: 60,
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
  afterEach(() => lake.close())

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
    const [run] = await lake.work("select run_id from vaulthouse_work.runs")
    killed.child.kill("SIGKILL")
    await until("a worker says that nobody plans", () =>
      /is gone: workers read/.test(first.output()),
    )
    first.child.kill("SIGKILL")
    const planner = await lake.planner(...pipelines)
    expect(await planner.ended, output(planner, ...others)).toBe(0)
    expect(planner.output()).toContain(
      `continues run ${String(run?.["run_id"])} (sync ${pipelines.join(" ")}), whose planner`,
    )
    expect(output(...others)).toMatch(/has a planner again/)
    await expectSameTables()
  })

  it("go on, as their planner does, once PostgreSQL is there again", async () => {
    await open()
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
  })

  it("refuse what one commits that was silent for longer than its lease, and mark it so", async () => {
    await open()
    const late = await lake.worker()
    const planner = await lake.planner(...pipelines)
    await until("it is halted with tasks in hand", async () => {
      if ((await lake.done()) === 0) return false
      late.child.kill("SIGSTOP")
      const inHand = await lake.work(
        "select 1 from vaulthouse_work.claims where not is_done and epoch > 0",
      )
      // A worker that is stopped in the middle of a commit would hold up the others.
      const commits = await lake.work(
        "select 1 from pg_locks where locktype = 'advisory' and classid = 1986098540 and objid = 1",
      )
      if (inHand.length > 1 && commits.length === 0) return true
      late.child.kill("SIGCONT")
      return false
    })
    const other = await lake.worker()
    await until("another has claimed them", async () => {
      const again = await lake.work("select 1 from vaulthouse_work.claims where epoch > 1")
      return again.length > 0
    })
    late.child.kill("SIGCONT")
    expect(await planner.ended, output(planner, late, other)).toBe(0)
    expect(late.output()).toContain("is no longer this worker's")
    const directory = join(lake.folder, "data", "raw")
    const uncommitted: Array<string> = []
    for (const file of await readdir(directory)) {
      for await (const { ends } of readWholeFrames(folderStore(directory), file)) {
        uncommitted.push(...ends.flatMap((end) => end.uncommitted))
      }
    }
    expect(uncommitted).not.toEqual([])
    await expectSameTables()
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
