// What is interrupted: each command on a folder that needs it.
import { cpSync, rmSync, statSync } from "node:fs"
import { join } from "node:path"
import { DuckDBInstance } from "@duckdb/node-api"
import { literal } from "../../src/load/sql/sql.ts"
import { countIn } from "./content.ts"
import type { Moment, World } from "./world.ts"

export interface Case {
  readonly name: string
  /** Makes the folder in which the commands are interrupted. */
  readonly prepare: (world: World) => Promise<void>
  readonly moment: Moment
  readonly commands: ReadonlyArray<ReadonlyArray<string>>
  /** Commands that a user repeats after a death, before the next sync. */
  readonly again?: ReadonlyArray<ReadonlyArray<string>>
  /** `data` where absent. */
  readonly dataDir?: string
  /** The folder of the backup that the commands make. */
  readonly backup?: string
  /** What the commands are there for: a number that they change, in the warehouse or among the files. */
  readonly measure?: {
    readonly what: string
    readonly of: string | ((world: World) => number | Promise<number>)
    readonly isMeant: (before: number, after: number) => boolean
  }
  /** It needs a lake, which `main.ts` starts where one is installed. */
  readonly needsLake?: true
}

export const dataDirOf = ({ dataDir = "data" }: Case): string => dataDir

const pipelines = ["vaults", "ratio_history", "subaccounts"]
const sync = ["sync", "--data-dir", "data"]

const { PROVEN_LAKE: lake = "", PROVEN_LAKE_DATA: lakeData = "", LAKE: servers = "" } = process.env
const moveBack = ["move", "--warehouse", lake, "--to", "file", "--data-dir", "data"]

const first: Moment = { now: "2026-06-01T05:00:00Z" }
/** Two more hours, restated ones, and a subaccount less. */
const later: Moment = { now: "2026-06-01T07:00:00Z", revision: 1, subaccounts: 2 }

/** Without Parquet, for commands that publish as `sync` does: each of its effects is tried in a sync and in both publications. */
const plain = { pipelines, parquet: { enabled: false } }

const synced = async (
  world: World,
  settings: Readonly<Record<string, unknown>>,
  ...moments: ReadonlyArray<Moment>
): Promise<void> => {
  world.begin(settings)
  for (const moment of moments) {
    world.at(moment)
    await world.must(...sync)
  }
}

const change = async (world: World, ...statements: ReadonlyArray<string>): Promise<void> => {
  const instance = await DuckDBInstance.create(":memory:")
  const connection = await instance.connect()
  await connection.run(
    `ATTACH ${literal(world.path("data/vaulthouse.duckdb"))} AS changed; USE changed`,
  )
  for (const statement of statements) await connection.run(statement)
  await connection.run("CHECKPOINT changed; USE memory; DETACH changed")
  connection.closeSync()
  instance.closeSync()
}

const appears = (before: number, after: number): boolean => before === 0 && after > 0
const grows = (before: number, after: number): boolean => before > 0 && after > before
const disappears = (before: number, after: number): boolean => before > 0 && after === 0

export const cases: ReadonlyArray<Case> = [
  {
    name: "first sync",
    prepare: async (world) => world.begin({ pipelines }),
    measure: { what: "vaults", of: "core.vaults", isMeant: appears },
    moment: first,
    commands: [sync],
  },
  {
    name: "sync",
    prepare: (world) => synced(world, { pipelines }, first),
    measure: {
      what: "rows of the history",
      of: "core.ratio_history",
      isMeant: grows,
    },
    moment: later,
    commands: [sync],
  },
  {
    name: "replay",
    prepare: async (world) => {
      await synced(world, plain, first, later)
      for (const end of ["", ".wal"]) {
        rmSync(world.path(`data/vaulthouse.duckdb${end}`), { force: true })
      }
    },
    measure: { what: "vaults", of: "core.vaults", isMeant: appears },
    moment: later,
    commands: [["replay", "--data-dir", "data"]],
    again: [["replay", "--data-dir", "data"]],
  },
  {
    name: "replay over a warehouse",
    prepare: async (world) => {
      await synced(world, plain, first, later)
      await change(world, "update core.ratio_history set actual_tvl = 1")
    },
    measure: {
      what: "changed rows",
      of: "core.ratio_history where actual_tvl = 1",
      isMeant: disappears,
    },
    moment: later,
    commands: [["replay", "--data-dir", "data"]],
    again: [["replay", "--data-dir", "data"]],
  },
  {
    name: "replay --quarantine",
    prepare: async (world) => {
      world.begin(plain)
      world.at({ ...first, timeField: "measured_on" })
      const { code, stdout } = await world.run(sync)
      if (code !== 3) throw new Error(`a sync of an unknown field ended with ${code}: ${stdout}`)
      world.configure({ ...plain, timeFields: ["measured_on", "timestamp"] })
    },
    measure: {
      what: "open entries",
      of: "ops.quarantine where closed_at is null",
      isMeant: disappears,
    },
    moment: { ...first, timeField: "measured_on" },
    commands: [["replay", "--quarantine", "--data-dir", "data"]],
    again: [["replay", "--quarantine", "--data-dir", "data"]],
  },
  {
    name: "publish",
    prepare: async (world) => {
      await synced(world, { pipelines }, first)
      world.at(later)
      await world.must(...sync, "--no-publish")
    },
    measure: {
      what: "published rows of the history",
      of: (world) => countIn(world.path("data/published/vaulthouse.duckdb"), "core.ratio_history"),
      isMeant: grows,
    },
    moment: later,
    commands: [["publish", "--data-dir", "data"]],
  },
  {
    name: "publish --all",
    prepare: (world) => synced(world, { pipelines }, first),
    measure: {
      what: "when the oldest Parquet file was written",
      of: (world) =>
        Math.min(
          ...world
            .files("data/parquet")
            .filter((file) => file.endsWith(".parquet"))
            .map((file) => statSync(world.path("data/parquet", file)).mtimeMs),
        ),
      isMeant: grows,
    },
    moment: first,
    commands: [["publish", "--all", "--data-dir", "data"]],
  },
  {
    name: "compact",
    prepare: (world) =>
      synced(
        world,
        plain,
        { now: "2026-05-31T20:00:00Z" },
        { now: "2026-05-31T23:00:00Z", subaccounts: 2 },
      ),
    measure: {
      what: "segments",
      of: (world) => world.files("data/raw").length,
      isMeant: (before, after) => after > 0 && after < before,
    },
    moment: { ...first, subaccounts: 2 },
    commands: [["compact", "--data-dir", "data"]],
  },
  {
    name: "prune",
    prepare: (world) =>
      synced(
        world,
        plain,
        { now: "2026-05-31T20:00:00Z" },
        { now: "2026-05-31T21:00:00Z", subaccounts: 2 },
        { now: "2026-05-31T21:30:00Z", subaccounts: 2 },
      ),
    measure: {
      what: "segments",
      of: (world) => world.files("data/raw").length,
      isMeant: (before, after) => after > 0 && after !== before,
    },
    moment: { now: "2026-06-03T05:00:00Z", subaccounts: 2 },
    commands: [["prune", "--older-than", "1d", "--data-dir", "data"]],
  },
  {
    name: "sync that joins and prunes",
    prepare: (world) =>
      synced(
        world,
        { ...plain, keepDays: 1 },
        { now: "2026-05-31T20:00:00Z" },
        { now: "2026-05-31T21:00:00Z", subaccounts: 2 },
        { now: "2026-05-31T21:30:00Z", subaccounts: 2 },
      ),
    measure: {
      what: "segments of the month that is over",
      of: (world) => world.files("data/raw").filter((file) => file.includes("202605")).length,
      isMeant: (before, after) => after > 0 && after < before,
    },
    moment: { now: "2026-06-02T05:00:00Z", subaccounts: 2 },
    commands: [sync],
  },
  {
    name: "backup",
    prepare: (world) => synced(world, plain, first),
    measure: { what: "files", of: (world) => world.files("backup").length, isMeant: appears },
    moment: first,
    commands: [["backup", "backup", "--data-dir", "data"]],
    backup: "backup",
  },
  {
    name: "restore",
    prepare: async (world) => {
      await synced(world, plain, first)
      await world.must("backup", world.outside("backup"), "--data-dir", "data")
      rmSync(world.path("data"), { recursive: true })
      cpSync(world.outside("backup"), world.path("backup"), { recursive: true })
    },
    measure: { what: "vaults", of: "core.vaults", isMeant: appears },
    moment: first,
    commands: [["restore", "backup", "--data-dir", "data"]],
    again: [["restore", "backup", "--data-dir", "data"]],
  },
  {
    name: "migration",
    prepare: async (world) => {
      await synced(world, plain, first)
      await change(
        world,
        "alter table ops.tasks drop column error_text",
        "drop table ops.schema_drift",
        "delete from ops.layout",
      )
    },
    measure: { what: "recorded layouts", of: "ops.layout", isMeant: appears },
    moment: later,
    commands: [sync],
  },
  {
    name: "sync --fill-gaps",
    prepare: async (world) => {
      world.begin(plain)
      // However often it is requested.
      world.at({ ...first, faults: [{ kind: "invalid-json", match: "fields=ratio" }] })
      const { code, stdout } = await world.run(sync)
      if (code !== 3) throw new Error(`a sync with a gap ended with ${code}: ${stdout}`)
    },
    measure: { what: "open gaps", of: "ops.gaps where state = 'open'", isMeant: disappears },
    moment: later,
    commands: [[...sync, "--fill-gaps"]],
  },
  {
    name: "a field made a column",
    prepare: async (world) => {
      await synced(world, plain, { ...first, addedFields: true })
      world.configure({ ...plain, fields: { "vaults.internal_type": "added_field" } })
    },
    measure: {
      what: "values of the column",
      of: "core.vaults where internal_type = 'later version'",
      isMeant: appears,
    },
    moment: { ...first, addedFields: true },
    commands: [["replay", "--data-dir", "data"]],
    again: [["replay", "--data-dir", "data"]],
  },
  {
    name: "move out of a lake",
    needsLake: true,
    prepare: async (world) => {
      const settings = { ...plain, lake: { extensions: join(servers, "extensions") } }
      await synced(world, settings, first)
      await world.must("move", "--to", lake, "--lake-data", lakeData, "--data-dir", "data")
      for (const end of ["", ".wal", ".doublewrite"]) {
        rmSync(world.path(`data/vaulthouse.duckdb${end}`), { force: true })
      }
    },
    measure: { what: "vaults", of: "core.vaults", isMeant: appears },
    moment: first,
    commands: [moveBack],
    again: [moveBack],
  },
  {
    name: "sync, then publish --all",
    prepare: (world) => synced(world, { pipelines }, first),
    moment: later,
    commands: [sync, ["publish", "--all", "--data-dir", "data"]],
  },
]
