// Measures what a publication of 20 million rows costs when one month changed, in seconds and on disk, on this
// machine's file system and on ones that share extents: `make bench ARGS=publication`. Root can create those in
// images; for other users they are left out.
import { execFile } from "node:child_process"
import { mkdir, readFile, rm, stat, statfs } from "node:fs/promises"
import { join } from "node:path"
import { promisify } from "node:util"
import { DuckDBInstance } from "@duckdb/node-api"
import { runSql, publishAgain, syncAll } from "./longWarehouse.ts"
import { writeSection } from "../section.ts"

const run = promisify(execFile)

const KEPT = 3
const KEEP = `publishedKeep: { copies: ${KEPT}, days: 7 }\n`
const MEGABYTE = 1e6

const readSql = (name: string): Promise<string> => readFile(join(import.meta.dirname, name), "utf8")

const secondsOf = async (work: () => Promise<unknown>): Promise<number> => {
  const startedAt = performance.now()
  await work()
  return (performance.now() - startedAt) / 1000
}

/** Megabytes in use for a data directory. */
type Used = (dataDir: string) => Promise<number>

/** The use of a file system that holds nothing else: extents that files share count once. */
const usedOnImage: Used = async (dataDir) => {
  await run("sync", ["-f", dataDir])
  const { blocks, bfree, bsize } = await statfs(dataDir)
  return ((blocks - bfree) * bsize) / MEGABYTE
}

/** The size of the files: hard links count once. */
const usedByFiles: Used = async (dataDir) => {
  const { stdout } = await run("du", ["-s", "--block-size=1", dataDir])
  return Number.parseInt(stdout, 10) / MEGABYTE
}

interface Place {
  readonly name: string
  readonly used: Used
}

interface Cost {
  readonly method: string
  readonly place: string
  readonly seconds: number
  /** On disk for each kept copy. */
  readonly megabytes: number
}

/** Measures publications by the product, each after another month's worth of revisions. */
const publishing = async (
  dataDir: string,
  { name: place, used }: Place,
): Promise<ReadonlyArray<Cost>> => {
  const revise = await readSql("oneMonth.sql")
  const first = await secondsOf(() => publishAgain(dataDir, KEEP))
  const before = await used(dataDir)
  const seconds: Array<number> = []
  for (let copy = 0; copy < KEPT; copy += 1) {
    await runSql(dataDir, revise)
    seconds.push(await secondsOf(() => publishAgain(dataDir, KEEP)))
  }
  const megabytes = ((await used(dataDir)) - before) / KEPT
  return [
    { method: "first publication", place, seconds: first, megabytes: Number.NaN },
    { method: "one month changed", place, seconds: Math.min(...seconds), megabytes },
  ]
}

/** Copies the file alone with `cp`, and flushes it. */
const copying = async (dataDir: string, { name: place, used }: Place): Promise<Cost> => {
  const copy = join(dataDir, "copy.duckdb")
  const before = await used(dataDir)
  const seconds = await secondsOf(() =>
    run("sh", [
      "-c",
      `cp --reflink=auto "$1" "$2" && sync "$2"`,
      "-",
      join(dataDir, "vaulthouse.duckdb"),
      copy,
    ]),
  )
  const megabytes = (await used(dataDir)) - before
  await rm(copy)
  return { method: "`cp --reflink=auto` of the file alone", place, seconds, megabytes }
}

/** Copies the previous copy and replaces the changed month of each table in it. */
const incremental = async (dataDir: string, { name: place, used }: Place): Promise<Cost> => {
  const copy = join(dataDir, "copy.duckdb")
  const before = await used(dataDir)
  const seconds = await secondsOf(async () => {
    await run("cp", ["--reflink=auto", join(dataDir, "published/vaulthouse.duckdb"), copy])
    const instance = await DuckDBInstance.create(":memory:", {
      memory_limit: "128MB",
      threads: "1",
    })
    const connection = await instance.connect()
    await connection.run(`ATTACH '${copy}' AS copied`)
    await connection.run(`ATTACH '${join(dataDir, "vaulthouse.duckdb")}' AS warehouse (READ_ONLY)`)
    for (const [table, time] of [
      ["core.ratio_history", "observed_at"],
      ["core.pnl_history", "snapshot_at"],
      ["mart_tables.ratio_days", "day"],
      ["mart_tables.pnl_days", "day"],
      ["mart_tables.vault_hourly", "hour_at"],
    ]) {
      const within = `WHERE ${time} >= DATE '2026-05-01' AND ${time} < DATE '2026-06-01'`
      await connection.run(`DELETE FROM copied.${table} ${within}`)
      await connection.run(`INSERT INTO copied.${table} FROM warehouse.${table} ${within}`)
    }
    await connection.run("DETACH copied")
    await connection.run("DETACH warehouse")
    connection.closeSync()
    instance.closeSync()
    await run("sync", [copy])
  })
  const megabytes = (await used(dataDir)) - before
  await rm(copy)
  return { method: "incremental: the previous copy, its month replaced", place, seconds, megabytes }
}

/** Runs `work` in a new file system in an image; does nothing where this user can't make one. */
const inImage = async (
  kind: "xfs" | "btrfs",
  folder: string,
  work: (mounted: string) => Promise<void>,
): Promise<void> => {
  const image = join(folder, `${kind}.image`)
  const mounted = join(folder, kind)
  try {
    await run("truncate", ["-s", "16G", image])
    await run(`mkfs.${kind}`, ["-q", image])
    await mkdir(mounted)
    await run("mount", ["-o", "loop", image, mounted])
  } catch {
    console.log(`No ${kind} here: it needs root and mkfs.${kind}.`)
    return
  }
  try {
    await work(mounted)
  } finally {
    await run("umount", [mounted])
    await rm(image)
  }
}

const number = (value: number, digits = 0): string =>
  Number.isNaN(value)
    ? ""
    : value.toLocaleString("en", { maximumFractionDigits: digits, minimumFractionDigits: digits })

const sectionOf = (costs: ReadonlyArray<Cost>, megabytes: number): string => `## Publication
Written by \`make bench ARGS=publication\`: 20 million rows in two hourly histories (200 vaults), ${number(megabytes)} MB, of which
a publication finds 300,000 revised, in one month. Each line is the command \`publish\` without Parquet unless it says
otherwise. The MB on disk are those of each kept copy, with what the revision added to the warehouse. Why the file is copied:
[decision 0018](decisions/0018-published-copies-are-cloned.md).

| | file system | seconds | MB on disk |
|---|---|---:|---:|
${costs.map(({ method, place, seconds, megabytes: size }) => `| ${method} | ${place} | ${number(seconds, 1)} | ${number(size)} |`).join("\n")}
`

/** The 20 million rows, not yet published. */
export const makeManyRows = async (dataDir: string): Promise<void> => {
  await syncAll(dataDir, 2)
  await runSql(dataDir, await readSql("manyRows.sql"))
}

/** Measures publications of a data directory that is not published yet, and writes their section. */
export const reportPublication = async (made: string, folder: string): Promise<void> => {
  const costs: Array<Cost> = []
  const measure = async (dataDir: string, place: Place): Promise<void> => {
    costs.push(...(await publishing(dataDir, place)))
    costs.push(await copying(dataDir, place))
    costs.push(await incremental(dataDir, place))
    console.log(sectionOf(costs, Number.NaN))
  }
  for (const kind of ["xfs", "btrfs"] as const) {
    await inImage(kind, folder, async (mounted) => {
      const dataDir = join(mounted, "data")
      await run("cp", ["-r", made, dataDir])
      await measure(dataDir, { name: kind, used: usedOnImage })
    })
  }
  const { stdout } = await run("stat", ["-f", "-c", "%T", made])
  await measure(made, { name: stdout.trim().replace("ext2/ext3", "ext4"), used: usedByFiles })
  const { size } = await stat(join(made, "vaulthouse.duckdb"))
  const section = sectionOf(costs, size / MEGABYTE)
  writeSection("publication", section)
}

export const benchPublication = async (folder: string): Promise<void> => {
  const dataDir = join(folder, "publication")
  await makeManyRows(dataDir)
  await reportPublication(dataDir, folder)
}
