// Each invariant stops what would lose, double or falsify rows: a caller that breaks it gets an error that names it, and the
// warehouse is as it was.
import type { DuckDBConnection } from "@duckdb/node-api"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type { Batch } from "../../src/domain/run/outcome.ts"
import type { Rows } from "../../src/domain/table/table.ts"
import { BrokenInvariant, invariant } from "../../src/domain/invariant.ts"
import { insertNew } from "../../src/load/commit/merge/insertNew.ts"
import { merge } from "../../src/load/commit/merge/merge.ts"
import { stage } from "../../src/load/commit/merge/stage.ts"
import { Changes, type Session } from "../../src/load/commit/session.ts"
import { transaction } from "../../src/load/duckdb/transaction.ts"
import type { LoadError } from "../../src/load/errors.ts"
import { makePublication } from "../../src/load/published/parquet/parquetFolder.ts"
import { publish } from "../../src/load/published/publish.ts"
import { Warehouse } from "../../src/load/Warehouse.ts"
import { temporaryFolder } from "../support/temporaryFolder.ts"
import {
  batchOf,
  commit,
  commitTogether,
  descriptions,
  inWarehouse,
  reading,
  readings,
  readingsBatch,
  rows,
  rowsOf,
  sampleTables,
} from "./sample.ts"
import { holdings, holdingsOn } from "./sets.ts"

const tables = [...sampleTables, holdings]

const inTemporary = <A, E>(work: Effect.Effect<A, E, Warehouse>) =>
  Effect.flatMap(temporaryFolder, (dataDir) => inWarehouse(dataDir, work, { tables }))

const state = Effect.all([
  rows("select vault_address, observed_at, value from core.readings order by all"),
  rows("select vault_address, observed_at, value from core.readings_versions order by all"),
  rows("select vault_address, title, valid_to from core.descriptions order by all"),
  rows("select protocol, value from core.holdings order by all"),
  rows("select protocol, value from core.holdings_versions order by all"),
  rows("select cursor from ops.cursors order by all"),
  rows(`select table_name, month, changed_at from ops.partition_changes
    where table_schema = 'core' order by all`),
])

/** `work` fails with the invariant, and nothing is different afterwards. */
const breaks = Effect.fnUntraced(function* <A, R>(
  work: Effect.Effect<A, LoadError, R>,
  text: string,
) {
  const before = yield* state
  const error = yield* Effect.flip(work)
  expect(error).toMatchObject({ reason: "Invariant", cause: { invariant: text } })
  expect(error.message).toContain(`an invariant is broken: ${text} (`)
  expect(error.message).toMatch(/rolled back|Readers keep/)
  expect(yield* state).toEqual(before)
})

const onWriter = (work: (session: Session) => Promise<unknown>) =>
  Effect.flatMap(Warehouse, ({ exclusively }) => exclusively("A broken caller", work))

it("says what should have held, and what was found", () => {
  expect(() => {
    invariant(true, "all is well", {})
  }).not.toThrow()
  const broken = new BrokenInvariant("rows are counted", { table: "core.fees", rows: 2, of: null })
  expect(broken.message).toBe(
    "an invariant is broken: rows are counted (table = core.fees, rows = 2, of = null)",
  )
})

describe("a batch", () => {
  const claim = { runId: "run-1", pipeline: "sample", entity: "-", epoch: 1 }
  const page = [rowsOf(readings, [reading("a", 0, 1)])]
  const one = batchOf(page)
  const cases: ReadonlyArray<readonly [what: string, text: string, batch: Batch]> = [
    [
      "with the cursor of another pipeline",
      "a cursor moves with a task of its pipeline",
      { ...one, cursor: { pipeline: "other", entity: "-", cursor: 1 } },
    ],
    [
      "with a cursor and no task",
      "a cursor moves with a task of its pipeline",
      {
        rows: page,
        bookkeeping: [],
        cursor: { pipeline: "sample", entity: "-", cursor: 1 },
      },
    ],
    [
      "with the rows of another run",
      "a task and its rows are of one run",
      { ...one, runId: "run-0" },
    ],
    ...[{ runId: "run-0" }, { pipeline: "other" }, { entity: "other" }].map(
      (other) =>
        [
          `with the claim of another ${Object.keys(other).join()}`,
          "a claim is of the task that it commits",
          { ...one, claim: { ...claim, ...other } },
        ] as const,
    ),
  ]
  it.effect.each(cases)("%s is not committed, and those beside it are", ([, text, batch]) =>
    inTemporary(
      Effect.gen(function* () {
        const good = readingsBatch([reading("b", 0, 2)])
        yield* breaks(commit(batch), text)
        yield* Effect.exit(commitTogether([good, batch]))
        expect(yield* rows("select vault_address as v from core.readings")).toEqual([{ v: "b" }])
      }),
    ),
  )
})

describe("a merge", () => {
  const described = (title: string): Batch =>
    batchOf([rowsOf(descriptions, [{ vault_address: "a", title, fee: 1 }])])

  it.effect.each([
    ["core.readings", readingsBatch([reading("a", 0, 2)])],
    ["core.descriptions", described("two")],
  ] as const)("finds two open versions of a key of %s", ([table, revision]) =>
    inTemporary(
      Effect.gen(function* () {
        yield* commit(readingsBatch([reading("a", 0, 1)]))
        yield* commit(described("one"))
        yield* onWriter(({ connection }) =>
          connection.run(`INSERT INTO ${table} SELECT * FROM ${table}`),
        )
        yield* breaks(
          commit(revision),
          "a row is compared with at most one open version of its key",
        )
      }),
    ),
  )

  /** A connection that changes no row where a statement begins like this. */
  const deaf = (connection: DuckDBConnection, beginning: RegExp): DuckDBConnection =>
    new Proxy(connection, {
      get: (target, name) => {
        const value: unknown = Reflect.get(target, name, target)
        if (typeof value !== "function") return value
        return (sql: unknown, ...others: ReadonlyArray<unknown>): unknown => {
          const isDeaf = name === "run" && typeof sql === "string" && beginning.test(sql.trim())
          return Reflect.apply(value, target, [isDeaf ? withoutRows(sql) : sql, ...others])
        }
      },
    })
  const withoutRows = (sql: string): string =>
    /\bWHERE\b(?![^]*\bSELECT\b)/.test(sql) ? `${sql} AND false` : `${sql} WHERE false`

  const held = "a merge changes the rows that it found new, revised or absent"
  const retired = "each row that is retired is kept as a version"
  // Later than what it revises.
  const later = 4_000_000_000_000_000
  const revisedReading = rowsOf(readings, [reading("a", 0, 2)], later)
  const titles = [{ vault_address: "a", title: "two", fee: 1 }]
  const revisedTitle = rowsOf(descriptions, titles, later)
  it.effect.each([
    ["the old version", /^INSERT INTO \S*readings_versions/, revisedReading, held],
    ["the removal of the old row", /^DELETE/, revisedReading, held],
    ["the new row", /^INSERT INTO \S*readings"? /, revisedReading, held],
    ["the end of a version", /^UPDATE/, revisedTitle, held],
    [
      "the version of a retired row",
      /^INSERT INTO \S*holdings_versions/,
      holdingsOn(0, 9, { Aave: 1 }),
      retired,
    ],
    ["the removal of a retired row", /^DELETE/, holdingsOn(0, 9, { Aave: 1 }), retired],
  ] as const)("does not go on without %s", ([, beginning, page, text]) =>
    inTemporary(
      Effect.gen(function* () {
        yield* commit(
          batchOf([
            rowsOf(readings, [reading("a", 0, 1)]),
            holdingsOn(0, 1, { Aave: 1, Morpho: 2 }),
          ]),
        )
        yield* commit(described("one"))
        const broken = onWriter((session) =>
          transaction(session, async () => {
            const { connection } = session
            const pages = [{ batch: 0, rows: page, runId: session.runId }]
            const staged = await stage(connection, page.table, pages)
            await merge({ ...session, connection: deaf(connection, beginning) }, staged)
          }),
        )
        yield* breaks(broken, text)
      }),
    ),
  )

  const whole = "only a whole set of a slowly changing table ends what it lacks"
  const partial: Rows = { ...revisedTitle, mergeKey: {}, isPartial: true }
  it.effect.each([
    ["a partial set", partial],
    ["a set of a history", { ...revisedReading, mergeKey: {} }],
  ] as const)("does not let %s end what it lacks", ([, page]) =>
    inTemporary(
      Effect.gen(function* () {
        yield* commit(described("one"))
        yield* commit(readingsBatch([reading("a", 0, 1)]))
        yield* breaks(commit(batchOf([page])), whole)
      }),
    ),
  )

  it.effect("leaves no column of the rows out", () =>
    inTemporary(
      breaks(
        onWriter((session) =>
          transaction(session, () =>
            insertNew(
              session,
              [{ batch: 0, rows: revisedReading, runId: session.runId }],
              ["vault_address", "observed_at"],
            ),
          ),
        ),
        "each column of the rows is stored",
      ),
    ),
  )
})

describe("what a transaction changed", () => {
  const marked = "a month counts as marked only after the transaction that marked it"
  const late = "a change is marked by the transaction that makes it"
  const within = (use: (changes: Changes) => Promise<void> | void) => (session: Session) =>
    transaction(session, async () => use(new Changes(session)))
  it.effect.each([
    [
      "is written within it",
      "rows are written in a transaction",
      (session: Session) => new Changes(session).write(),
    ],
    [
      "is written once",
      "changes are written once",
      within(async (changes) => {
        await changes.write()
        await changes.write()
      }),
    ],
    [
      "is marked before it is written",
      late,
      within(async (changes) => {
        await changes.write()
        changes.add(readings, ["2024-01"])
      }),
    ],
    [
      "does not count as marked while it may still fail",
      marked,
      within(async (changes) => {
        changes.add(readings, ["2024-01"])
        await changes.write()
        changes.afterCommit()
      }),
    ],
    [
      "does not count as marked where it was never written",
      marked,
      async (session: Session) => {
        const changes = new Changes(session)
        changes.add(readings, ["2024-01"])
        changes.afterCommit()
      },
    ],
  ] as const)("%s", ([, text, work]) => inTemporary(breaks(onWriter(work), text)))
})

describe("a publication", () => {
  const file = {
    path: "files/core/readings/2024-01-0.parquet",
    schema: "core",
    table: "readings",
    month: "2024-01",
    rows: 1,
    bytes: 1,
    min_at: null,
    max_at: null,
    sha256: "0",
    changed_at: 0,
    layout: "0",
  }
  const other = { ...file, path: "files/core/readings/2024-01-1.parquet" }
  it.effect.each([
    ["a month twice", [file, other]],
    ["a file twice", [file, { ...file, month: "2024-02" }]],
    ["a file without rows", [{ ...file, rows: 0 }]],
  ] as const)("has no manifest with %s", ([, files]) =>
    Effect.gen(function* () {
      const dataDir = yield* temporaryFolder
      const manifest = { version: 2, run_id: "run-1", published_at: "2024-01-01", files } as const
      const error = yield* Effect.flip(
        Effect.tryPromise({
          try: () => makePublication(dataDir, manifest),
          catch: (cause) => cause as BrokenInvariant,
        }),
      )
      expect(error).toMatchObject({
        invariant: "a manifest lists each month of a table once, with its rows",
      })
    }),
  )

  it.effect("is of the state of its run", () =>
    inTemporary(
      Effect.gen(function* () {
        yield* commit(readingsBatch([reading("a", 0, 1)]))
        const warehouse = yield* Warehouse
        const ofAnother: Warehouse["Service"] = {
          ...warehouse,
          exclusively: (what, work) =>
            warehouse.exclusively(what, (session) =>
              work({
                ...session,
                makeCopy: async (request) => {
                  await session.connection.run(
                    "INSERT INTO ops.publications (run_id, published_at) VALUES ('run-0', '2999-01-01')",
                  )
                  return session.makeCopy(request)
                },
              }),
            ),
        }
        const published = publish({ parquet: undefined })
        yield* breaks(
          Effect.provideService(published, Warehouse, ofAnother),
          "a published copy holds the state of its run",
        )
      }),
    ),
  )
})
