// The message of a failure that DuckDB's extensions report, and what it is taken for.
import { expect, it } from "vitest"
import { databaseError, filesError, isOfCatalog } from "../../src/load/errors.ts"
import { isRefusedByWarehouse } from "../../src/pipelines/run/task/refusedResult.ts"

const ADVICE =
  "What was not committed is read again by the next run; check that PostgreSQL runs and can be reached."

it("a lost connection to a lake's catalog is no fault of the rows, and comes without SQL", () => {
  const lost = databaseError(
    "Committing rows",
    new Error(
      'Invalid Error: Failed to get partition information from DuckLake: Failed to prepare COPY "COPY (SELECT "a" FROM "vaulthouse_lake"."ducklake_view" WHERE "begin_snapshot" <= \'1\') TO STDOUT (FORMAT "binary");": server closed the connection unexpectedly\n\tThis probably means the server terminated abnormally\n\tbefore or while processing the request.',
    ),
  )
  expect(lost.message).toBe(
    `Committing rows: the lake's catalog failed (server closed the connection unexpectedly). ${ADVICE}`,
  )
  expect(isRefusedByWarehouse(lost)).toBe(false)
})

it("a read-only file system is no lack of memory or space", () => {
  const cause = new Error('IO Error: Cannot open file "/data/writer.lock": Read-only file system')
  expect(databaseError("The data directory /data can't be used", cause).message).toBe(
    `The data directory /data can't be used: ${cause.message}. Nothing was changed. Check that this user can write to the folder, or choose another with --data-dir.`,
  )
})

it("a file that a lake has lost can be restored", () => {
  const why =
    'IO Error: Cannot open file "/lake/core/ratio_history/ducklake-0.parquet": No such file or directory'
  expect(databaseError("Reading the warehouse", new Error(why)).message).toBe(
    `Reading the warehouse: ${why}. Run again. If it is still missing, restore it from a backup of the folder, or rebuild the lake from the archive (docs/lake.md).`,
  )
})

it.each([
  'IO Error: Failed to create directory "/data/tmp": Permission denied',
  'IO Error: Failed to delete file "/data/tmp/a": Input/output error',
])("a file of this machine is none of a lake's catalog: %s", (text) => {
  const failed = databaseError("Opening the warehouse", new Error(text))
  expect(failed.message).toContain(text)
  expect(failed.message).not.toContain("PostgreSQL")
  expect(isOfCatalog(failed)).toBe(false)
})

it("a failure inside DuckDB comes without its stack trace", () => {
  const failed = databaseError(
    "Reading the last run",
    new Error(
      "INTERNAL Error: Attempted to access index 0 within vector of size 0\n\nStack Trace:\n\n/libduckdb.so(+0xd7f00b) [0x7fa2c4b7f00b]\n\nThis error signals an assertion failure within DuckDB.",
    ),
  )
  expect(failed.message).toMatch(
    /^Reading the last run: INTERNAL Error: Attempted to access index 0 within vector of size 0\. What was not/,
  )
})

it("what DuckDB refuses after a failure of its own names that failure", () => {
  const refused = databaseError(
    "Recording the run's end",
    new Error(
      'FATAL Error: Failed: database has been invalidated because of a previous fatal error. The database must be restarted prior to being used again.\nOriginal error: "Attempted to access index 0 within vector of size 0"',
    ),
  )
  expect(refused.message).toMatch(
    /^Recording the run's end: DuckDB can't go on after a failure of its own \(Attempted to access index 0 within vector of size 0\)\. What was not/,
  )
})

const LOST =
  "server closed the connection unexpectedly\n\tThis probably means the server terminated abnormally\n\tbefore or while processing the request."
const COPY = 'COPY (SELECT "a" FROM "vaulthouse_lake"."ducklake_table_stats") TO STDOUT;'

// As DuckDB's extensions word it, depending on the message at which the connection is lost.
const losses: ReadonlyArray<readonly [at: string, text: string, why: string | undefined]> = [
  ["before a statement", `Invalid Error: Failed to execute query "COMMIT": ${LOST}`, undefined],
  [
    "in the answer to COPY",
    `IO Error: Failed to get global stats information from DuckLake: Unable to read binary COPY data from Postgres: ${LOST}`,
    undefined,
  ],
  [
    "in the answer to COPY, as DuckDB's own fault",
    `Invalid Input Error: Attempting to fetch from an unsuccessful query result\nError: IO Error: Unable to read binary COPY data from Postgres: ${LOST}`,
    undefined,
  ],
  [
    "while a statement is described",
    `Binder Error: Failed to query most recent snapshot for DuckLake: Failed to describe prepared statement: ${LOST}`,
    undefined,
  ],
  [
    "in rows that are sent",
    `Invalid Error: Failed to initialize DuckLake: Failed to copy data: ${LOST}`,
    undefined,
  ],
  [
    "within a statement, where libpq gives no reason",
    `Invalid Error: Failed to get global stats information from DuckLake: Failed to prepare COPY "${COPY}": `,
    "the connection was lost",
  ],
  [
    "before a statement whose failure DuckLake does not report",
    "TransactionContext Error: Failed to get global stats information from DuckLake: Current transaction is aborted (please ROLLBACK)",
    "the connection was lost",
  ],
]

it.each(losses)(
  "a connection that is lost %s is no fault of the rows",
  (_, text, why = "server closed the connection unexpectedly") => {
    const cause = new Error(text)
    expect(isOfCatalog(cause)).toBe(true)
    const lost = databaseError("Committing rows", cause)
    expect(lost.message).toBe(`Committing rows: the lake's catalog failed (${why}). ${ADVICE}`)
    expect(isRefusedByWarehouse(lost)).toBe(false)
    expect(filesError("Publishing", cause).message).toBe(
      `Publishing: the lake's catalog failed (${why}). Readers keep the files they have; check that PostgreSQL runs, then run \`vaulthouse publish\`.`,
    )
  },
)

it.each([
  'too many connections for role "vaulthouse"',
  "sorry, too many clients already",
  "remaining connection slots are reserved for roles with the SUPERUSER attribute",
])("a server without a connection left is reachable: %s", (words) => {
  const refused = databaseError(
    "Opening the warehouse",
    new Error(
      `IO Error: Failed to attach DuckLake MetaData "__ducklake_metadata_warehouse" at path + "postgres:host='db'": Unable to connect to Postgres at "host='db'": connection to server at "db" (10.0.0.1), port 5432 failed: FATAL:  ${words}`,
    ),
  )
  expect(refused.message).toMatch(/^Opening the warehouse: the lake's catalog failed \(/)
  expect(refused.message).toContain(`${words}). End connections to it that nothing needs`)
  expect(refused.message).not.toContain("FATAL")
})

it("a value that the warehouse refuses is no failure of a lake's catalog", () => {
  const refused = new Error("Constraint Error: NOT NULL constraint failed: vaults.status")
  expect(isOfCatalog(refused)).toBe(false)
  expect(isRefusedByWarehouse(databaseError("Committing rows", refused))).toBe(true)
})

it.each([
  [Object.assign(new Error("EACCES: permission denied, mkdir"), { code: "EACCES" }), "permissions"],
  [Object.assign(new Error("EIO: i/o error, write"), { code: "EIO" }), "the folder and its disk"],
])("of readers' files, what to check depends on what failed: %s", (cause, toCheck) => {
  expect(filesError("Publishing", cause).message).toBe(
    `Publishing: ${cause.message}. Readers keep the files they have; check ${toCheck}, then run \`vaulthouse publish\`.`,
  )
})

it("an error of a full disk says so first, however long DuckDB's is", () => {
  const cause = new Error(
    'IO Error: Checkpoint failed for database "vaulthouse". The database has been invalidated. Original error: Could not write file "/data/vaulthouse.duckdb": No space left on device',
  )
  expect(databaseError("Recording the run's end", cause).message).toBe(
    "Recording the run's end: the disk is full (/data/vaulthouse.duckdb). Free space there, then run again: what was not committed is read again.",
  )
})

it("a user's full quota is no lack of permission", () => {
  const cause = new Error('IO Error: Could not write file "/data/a.parquet": Disk quota exceeded')
  expect(databaseError("Committing rows", cause)).toMatchObject({
    reason: "Files",
    message:
      "Committing rows: this user's part of the disk is full (/data/a.parquet). Free space there, then run again: what was not committed is read again.",
  })
  expect(filesError("Publishing", cause).message).toBe(
    "Publishing: this user's part of the disk is full (/data/a.parquet). Free space there, then run `vaulthouse publish`: readers keep the files they have.",
  )
})
