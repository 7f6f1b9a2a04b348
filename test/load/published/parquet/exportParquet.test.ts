// Other Parquet readers get the values of the database: hyparquet from the published files, parquetjs-lite, which reads
// neither zstd nor timestamps, from files that DuckDB makes of them.
import { appendFileSync, existsSync, readdirSync, rmSync, writeFileSync } from "node:fs"
import { readFile } from "node:fs/promises"
import { basename, dirname, join } from "node:path"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { asyncBufferFromFile, parquetMetadataAsync, parquetReadObjects } from "hyparquet"
import { DEFAULT_PARSERS } from "hyparquet/src/convert.js"
import { compressors } from "hyparquet-compressors"
import { ParquetReader } from "parquetjs-lite"
import { allColumns, type Table } from "../../../../src/domain/table/table.ts"
import type { ParquetOptions } from "../../../../src/load/published/parquet/parquetFile.ts"
import { marts } from "../../../../src/load/marts/marts.ts"
import { publishedFile } from "../../../../src/load/published/read/PublishedCopy.ts"
import { coreTables } from "../../../../src/pipelines/pipelines.ts"
import { verify } from "../../../../src/load/published/verify/verify.ts"
import { sharedWarehouse } from "../../../support/sharedWarehouse.ts"
import { simulated } from "../../../support/simulated.ts"
import { temporaryFolder } from "../../../support/temporaryFolder.ts"
import { changeFile, queries, queriesOfFile, runOnce } from "../../../support/warehouseRun.ts"

const zstd: ParquetOptions = { marts: true }

const world = { now: "2026-06-15T12:00:00Z", days: 20, vaults: 4, addedFields: true } as const

/** A warehouse with every kind of value, exported; raw amounts and unknown fields among them. */
const standard = sharedWarehouse(
  Effect.fnUntraced(function* (dataDir) {
    const simulator = yield* simulated(world)
    yield* runOnce(simulator.url, dataDir, { publish: { parquet: zstd } })
  }),
)

/** As a glob finds them, or as they are stored. */
const filesOf = (
  dataDir: string,
  { schema, name }: { readonly schema: string; readonly name: string },
  where: "current" | "files" = "current",
): ReadonlyArray<string> => {
  const folder = join(dataDir, "parquet", where, schema, name)
  return existsSync(folder)
    ? readdirSync(folder, { recursive: true, encoding: "utf8" })
        .filter((path) => path.endsWith(".parquet"))
        .map((path) => join(folder, path))
    : []
}

type Cell = string | number | boolean | null
type Row = Record<string, Cell>

/** One spelling for all readers: instants ISO to the microsecond, days ISO, integers as text. */
const spell = (value: unknown, type: string): Cell => {
  if (value === null || value === undefined) return null
  if (value instanceof Date) {
    const iso = value.toISOString()
    return type === "date" ? iso.slice(0, 10) : iso.replace("Z", "000Z")
  }
  if (type === "integer" || type === "bigint") return String(value)
  if (type === "double") return Number(value)
  if (type === "date" && typeof value === "number") {
    return new Date(value * 86_400_000).toISOString().slice(0, 10)
  }
  return value as Cell
}

const spelled = (table: Table, rows: ReadonlyArray<Record<string, unknown>>): ReadonlyArray<Row> =>
  rows.map((row) =>
    Object.fromEntries(allColumns(table).map(({ name, type }) => [name, spell(row[name], type)])),
  )

const inOrder = (rows: ReadonlyArray<Row>): ReadonlyArray<string> =>
  rows.map((row) => JSON.stringify(row)).toSorted()

const stored = (table: Table): string => {
  const columns = allColumns(table).map(({ name, type }) =>
    type === "timestamp"
      ? `strftime("${name}", '%Y-%m-%dT%H:%M:%S.%fZ') as "${name}"`
      : type === "date"
        ? `strftime("${name}", '%Y-%m-%d') as "${name}"`
        : `"${name}"`,
  )
  return `select ${columns.join(", ")} from ${table.schema}.${table.name}`
}

const readWithHyparquet = async (path: string): Promise<ReadonlyArray<Record<string, unknown>>> =>
  parquetReadObjects({ file: await asyncBufferFromFile(path), compressors, parsers })

// A Date ends at the millisecond; what is stored goes to the microsecond.
const parsers = {
  ...DEFAULT_PARSERS,
  timestampFromMicroseconds: (micros: bigint): string =>
    new Date(Number(micros / 1000n))
      .toISOString()
      .replace("Z", `${String(micros % 1000n).padStart(3, "0")}Z`),
}

const readWithParquetjs = async (path: string): Promise<ReadonlyArray<Record<string, unknown>>> => {
  const reader = await ParquetReader.openFile(path)
  const cursor = reader.getCursor()
  const rows: Array<Record<string, unknown>> = []
  for (let row = await cursor.next(); row !== null; row = await cursor.next()) rows.push(row)
  await reader.close()
  return rows
}

const expectSame = Effect.fnUntraced(function* (
  dataDir: string,
  read: (path: string) => Promise<ReadonlyArray<Record<string, unknown>>>,
) {
  let compared = 0
  const held = yield* queries(dataDir, coreTables.map(stored))
  for (const [at, table] of coreTables.entries()) {
    const files = filesOf(dataDir, table)
    const pages = yield* Effect.promise(() => Promise.all(files.map(read)))
    const rows = spelled(table, pages.flat())
    expect(inOrder(rows), table.name).toEqual(inOrder(spelled(table, held[at] ?? [])))
    compared += rows.length
  }
  expect(compared).toBeGreaterThan(2000)
})

describe("Parquet", () => {
  it.live("hyparquet reads from the real files what the database holds", () =>
    Effect.gen(function* () {
      const dataDir = yield* standard
      yield* expectSame(dataDir, readWithHyparquet)
    }),
  )

  it.live(
    "parquetjs-lite reads the same from them with instants as text, in a compression it has",
    () =>
      Effect.gen(function* () {
        const dataDir = yield* standard
        const folder = yield* temporaryFolder
        const read = async (path: string) => {
          const table = coreTables.find(({ name }) => name === basename(dirname(path)))
          const texts = allColumns(table!).flatMap(({ name, type }) =>
            type === "timestamp"
              ? [`strftime("${name}" AT TIME ZONE 'UTC', '%Y-%m-%dT%H:%M:%S.%fZ') AS "${name}"`]
              : [],
          )
          const file = join(folder, basename(path))
          await Effect.runPromise(
            queries(dataDir, [
              `COPY (SELECT * REPLACE (${texts.join(", ")}) FROM read_parquet('${path}'))
             TO '${file}' (FORMAT parquet, COMPRESSION snappy, PARQUET_VERSION V1)`,
            ]),
          )
          return readWithParquetjs(file)
        }
        yield* expectSame(dataDir, read)
      }),
  )

  it.live("hyparquet reads the marts' rows as the published copy has them", () =>
    Effect.gen(function* () {
      const dataDir = yield* standard
      // What depends on the time of reading can't be compared.
      const timely = new Set(["clock"])
      for (const { name, sql } of marts) {
        if ([...timely].some((other) => sql.includes(`mart.${other}`))) timely.add(name)
      }
      let compared = 0
      const exported = marts.filter((mart) => !timely.has(mart.name))
      const copy = yield* queriesOfFile(
        publishedFile(dataDir),
        exported.map(({ columns, name }) => {
          const lists = columns.map((column) =>
            column.type === "timestamp"
              ? `strftime("${column.name}", '%Y-%m-%dT%H:%M:%S.%fZ') as "${column.name}"`
              : column.type === "date"
                ? `"${column.name}"::varchar as "${column.name}"`
                : `"${column.name}"`,
          )
          return `select ${lists.join(", ")} from mart.${name}`
        }),
      )
      for (const [at, { columns, name }] of exported.entries()) {
        const files = filesOf(dataDir, { schema: "mart", name })
        const pages = yield* Effect.promise(() => Promise.all(files.map(readWithHyparquet)))
        const published = copy[at] ?? []
        // Sums of doubles differ in their last digits.
        const rough = (rows: ReadonlyArray<Record<string, unknown>>) =>
          inOrder(
            rows.map((row) =>
              Object.fromEntries(
                columns.map((column) => {
                  const value = spell(row[column.name], column.type)
                  return [
                    column.name,
                    typeof value === "number" ? Number(value.toPrecision(9)) : value,
                  ]
                }),
              ),
            ),
          )
        expect(rough(pages.flat()), name).toEqual(rough(published))
        compared += published.length === 0 ? 0 : 1
      }
      expect(compared).toBeGreaterThan(8)
      expect(filesOf(dataDir, { schema: "mart", name: "vault_hourly" }).length).toBe(2)
    }),
  )

  it.live("files carry the comments of their table and columns", () =>
    Effect.gen(function* () {
      const dataDir = yield* standard
      const ratio = coreTables.find(({ name }) => name === "ratio_history") as Table
      const [path = ""] = filesOf(dataDir, ratio)
      const metadata = yield* Effect.promise(async () =>
        parquetMetadataAsync(await asyncBufferFromFile(path)),
      )
      const pairs = Object.fromEntries(
        (metadata.key_value_metadata ?? []).map(({ key, value }) => [key, value ?? ""]),
      )
      expect(pairs["comment"]).toContain("Backing, supply and collateral ratio")
      expect(JSON.parse(pairs["columns"] ?? "{}").adjusted_redeem_ratio).toContain("fraction")
    }),
  )

  it.live("no file lacks the comment of one of its columns", () =>
    Effect.gen(function* () {
      const dataDir = yield* standard
      const folder = join(dataDir, "parquet", "current")
      const paths = readdirSync(folder, { recursive: true, encoding: "utf8" })
        .filter((path) => path.endsWith(".parquet"))
        .map((path) => join(folder, path))
      expect(paths.length).toBeGreaterThan(20)
      for (const path of paths) {
        const { key_value_metadata: found = [], schema } = yield* Effect.promise(async () =>
          parquetMetadataAsync(await asyncBufferFromFile(path)),
        )
        const pairs = Object.fromEntries(found.map(({ key, value }) => [key, value ?? ""]))
        const comments = JSON.parse(pairs["columns"] ?? "{}") as Readonly<Record<string, string>>
        const silent = schema
          .slice(1)
          .map(({ name }) => name)
          .filter((name) => (comments[name] ?? "").trim() === "")
        expect(silent, path).toEqual([])
        expect(pairs["comment"], path).not.toBe("")
      }
    }),
  )

  it.live("only months that changed are written again", () =>
    Effect.gen(function* () {
      const dataDir = yield* standard
      const ratio = coreTables.find(({ name }) => name === "ratio_history") as Table
      const tables = [ratio, { schema: "mart", name: "ratio_days" }]
      const allFiles = () => tables.map((table) => filesOf(dataDir, table))
      const before = new Set(allFiles().flat())
      const simulator = yield* simulated(world)
      simulator.patch({ now: "2026-06-16T12:00:00Z" })
      yield* runOnce(simulator.url, dataDir, { publish: { parquet: zstd } })
      expect(before.size).toBe(4)
      for (const files of allFiles()) {
        const changed = files.filter((path) => !before.has(path))
        expect(changed.map((path) => basename(path).slice(0, 7))).toEqual(["2026-06"])
      }
      expect(yield* verify(dataDir)).toEqual([])
    }),
  )
})

const changePublished = (dataDir: string, ...statements: ReadonlyArray<string>) =>
  changeFile(publishedFile(dataDir), ...statements)

describe("verify", () => {
  it.live("finds nothing wrong with what a run published, then each damaged file", () =>
    Effect.gen(function* () {
      const dataDir = yield* standard
      expect(yield* verify(dataDir)).toEqual([])
      const tables = coreTables.filter((table) => filesOf(dataDir, table, "files").length > 0)
      const [gone = "", hidden = "", grown = "", flipped = ""] = tables.map(
        (table) => filesOf(dataDir, table, "files")[0] ?? "",
      )
      rmSync(gone)
      const listed = hidden.replace("/files/", "/current/")
      rmSync(listed)
      appendFileSync(grown, "x")
      const bytes = yield* Effect.promise(() => readFile(flipped))
      const middle = Math.floor(bytes.length / 2)
      bytes[middle] = (bytes[middle] ?? 0) ^ 1
      writeFileSync(flipped, bytes)
      const stray = join(dataDir, "parquet/current/core/stray.parquet")
      writeFileSync(stray, "x")
      const copy = join(dataDir, "published/vaulthouse.duckdb")
      rmSync(copy)
      const findings = (yield* verify(dataDir)).map(
        ({ kind, path }) => `${kind} ${join(dataDir, path)}`,
      )
      expect(findings.toSorted()).toEqual(
        [
          `missing ${gone}`,
          `missing ${listed}`,
          `size ${grown}`,
          `checksum ${flipped}`,
          `extra ${stray}`,
          `missing ${copy}`,
        ].toSorted(),
      )
    }),
  )

  it.live.each([
    ["a stored mart", true, "delete from mart_tables.pnl_days"],
    ["a table, where no Parquet files are published", false, "delete from core.pnl_history"],
  ] as const)("finds that rows of the published copy were changed: %s", ([, hasParquet, sql]) =>
    Effect.gen(function* () {
      const dataDir = yield* standard
      if (!hasParquet) rmSync(join(dataDir, "parquet"), { recursive: true })
      expect(yield* verify(dataDir)).toEqual([])
      yield* changePublished(dataDir, sql)
      expect(yield* verify(dataDir)).toEqual([
        {
          kind: "content",
          path: "published/vaulthouse.duckdb",
          detail:
            "somebody has written to it since it was published; `vaulthouse publish` makes it again",
        },
      ])
    }),
  )

  it.live(
    "finds a row of the published copy that was changed, a view or macro replaced, dropped or added",
    () =>
      Effect.gen(function* () {
        const dataDir = yield* standard
        yield* changePublished(
          dataDir,
          "update core.pnl_history set unrealized_pnl = unrealized_pnl + 1 where snapshot_at = (select max(snapshot_at) from core.pnl_history)",
          "create or replace view mart.protocol_exposure as select 'Aave' as protocol, 1 as value",
          "create or replace macro mart.ratio_history_as_of(instant) as table select 1 as a",
          "drop view mart.loan_book",
          "create view mart.stray as select 1 as a",
        )
        expect(yield* verify(dataDir)).toEqual(
          [
            ["core.pnl_history", "as many rows as the Parquet files, but not the same ones"],
            ["mart.loan_book", "the view or macro is gone"],
            ["mart.protocol_exposure", "the view or macro is not the one that was published"],
            ["mart.ratio_history_as_of", "the view or macro is not the one that was published"],
            ["mart.stray", "a view or macro that was not published"],
          ].map(([name, detail]) => ({
            kind: "content",
            path: `published/vaulthouse.duckdb ${name}`,
            detail,
          })),
        )
        rmSync(join(dataDir, "published/current.json"))
        expect(yield* verify(dataDir)).toMatchObject([
          { kind: "content", path: "published/vaulthouse.duckdb core.pnl_history" },
          { kind: "missing", path: "published/current.json" },
        ])
      }),
  )
})
