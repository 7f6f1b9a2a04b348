// Ten thousand generated statements, every function of DuckDB with odd arguments: none ends the server, or its answers to
// others. Only in `make attack`, since it takes a minute.
import { DuckDBInstance } from "@duckdb/node-api"
import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { get, queryUrl, smallWarehouse, startServer } from "../serve/support.ts"
import { HANG_SECONDS } from "../support/until.ts"

const small = smallWarehouse()

const STATEMENTS = Number(process.env["ATTACK_STATEMENTS"] ?? 10_000)

const odd = [
  "NULL",
  "0",
  "-1",
  "9223372036854775807",
  "170141183460469231731687303715884105727",
  "1e308",
  "'nan'::DOUBLE",
  "'-inf'::DOUBLE",
  "1.5::DECIMAL(38, 37)",
  "''",
  "'a'",
  "'%s{}%d'",
  "repeat('a', 100000)",
  "repeat('[', 200000)",
  "repeat('(', 10000)",
  "chr(0) || chr(1114111)",
  "'\\x00\\xFF'::BLOB",
  "'101'::BIT",
  "[]",
  "[NULL]",
  "[1, 2, NULL]",
  "[[['a']]]",
  "range(100000)",
  "{'a': NULL, 'b': [1]}",
  "MAP {}",
  "MAP {'k': [1, NULL]}",
  '\'{"a": [1, {"b": null}]}\'::JSON',
  "'infinity'::DATE",
  "'-infinity'::TIMESTAMP",
  "TIMESTAMPTZ '1970-01-01'",
  "TIME '24:00:00'",
  "INTERVAL '1000000 years'",
  "TRUE",
  "'00000000-0000-0000-0000-000000000000'::UUID",
  "array_value(1, 2, 3)",
  "lambda x: x",
  "lambda x, y: x + y",
  "vault_address",
  "DISTINCT 1",
  "DEFAULT",
  "*",
]

/** The same statements for the same seed (mulberry32). */
const randomOf = (seed: number) => () => {
  seed = (seed + 0x6d2b79f5) | 0
  let mixed = Math.imul(seed ^ (seed >>> 15), 1 | seed)
  mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
  return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
}

const castable = /^(?:[A-Z]+(?: WITH TIME ZONE)?|DECIMAL\(\d+,\d+\))(?:\[\])*$/

const argument = (type: string | null, value: string): string =>
  type === null ||
  !castable.test(type) ||
  /^(?:ANY|LAMBDA|TABLE|NULL|INVALID|POINTER)/.test(type) ||
  /lambda|\*|DISTINCT|DEFAULT/.test(value)
    ? value
    : `TRY_CAST(${value} AS ${type})`

const names = Effect.promise(async () => {
  const instance = await DuckDBInstance.create(":memory:")
  const connection = await instance.connect()
  const read = await connection.runAndReadAll(
    `select function_name, function_type like 'table%', parameter_types::varchar[]
     from duckdb_functions() where function_type <> 'pragma' order by all`,
  )
  const overloads = read.getRowsJson().map(([name, isTable, types]) => ({
    name: String(name),
    isTable: isTable === true,
    types: (types ?? []) as ReadonlyArray<string | null>,
  }))
  const found = [...Map.groupBy(overloads, ({ name }) => name).values()]
  connection.closeSync()
  instance.closeSync()
  return found
})

it.live(`${STATEMENTS} statements end neither the server nor its answers to others`, () =>
  Effect.gen(function* () {
    const seed = Number(process.env["TEST_SEED"])
    const random = randomOf(seed)
    const pick = <A>(all: ReadonlyArray<A>): A => all[Math.floor(random() * all.length)] as A
    // In another order with another seed: fewer statements than functions are then of any of them.
    const functions = (yield* names)
      .map((each) => ({ each, order: random() }))
      .toSorted((one, other) => one.order - other.order)
      .map(({ each }) => each)
    const statements = Array.from({ length: STATEMENTS }, (_, at) => {
      // Each function in turn, so that all come up.
      const { name, isTable, types } = pick(functions[at % functions.length] ?? pick(functions))
      // Mostly as many arguments as it takes, of the types that it takes.
      const isFitting = random() < 0.8
      const wanted = isFitting
        ? types
        : Array.from({ length: Math.floor(random() * 5) }, () => null)
      const given = wanted.map((type) => argument(type, pick(odd))).join(", ")
      const call = `"${name.replaceAll('"', '""')}"(${given})`
      if (isTable && random() < 0.8) return `SELECT * FROM ${call} LIMIT 10`
      return pick([
        `SELECT ${call}`,
        `SELECT ${call} FROM core.vaults, range(3)`,
        `SELECT ${call} OVER (ORDER BY vault_address) FROM core.vaults`,
        `SELECT [${call}, ${pick(odd)}]`,
        `SELECT * FROM range(3) t(i) WHERE ${call} IS NOT NULL ORDER BY ${call}`,
      ])
    })
    // Where a query is stopped after less, a slow machine stops all of them while their reader starts.
    const url = yield* startServer(yield* small, { limits: { seconds: 10, rows: 10 } })
    yield* get(url)
    const ended = { answered: 0, refused: 0, byDuckDb: 0, stopped: 0, crashed: 0 }
    const slow: Array<number> = []
    const others = yield* Effect.forkChild(
      Effect.forever(
        Effect.gen(function* () {
          const began = performance.now()
          const { status } = yield* get(`${url}/sql`)
          expect(status).toBe(200)
          slow.push(performance.now() - began)
          yield* Effect.sleep("100 millis")
        }),
      ),
    )
    yield* Effect.forEach(
      statements,
      Effect.fnUntraced(function* (sql) {
        // A busy machine may not come to it in time, and says so.
        const { status, body } = yield* get(queryUrl(url, sql)).pipe(
          Effect.repeat({ until: (response) => response.status !== 503 }),
        )
        if (status === 200) ended.answered++
        else if (body.includes("DuckDB ended while it ran")) ended.crashed++
        else if (body.includes("was stopped after")) ended.stopped++
        else if (body.startsWith("A query can't use") || body.includes("read-only")) ended.refused++
        else ended.byDuckDb++
        // Nothing of DuckDB's inside or of this machine reaches a reader, and no error is one of the server's own.
        const reply = { seed, sql, status, body: body.slice(0, 500) }
        expect(reply).toEqual({ ...reply, status: status === 200 ? 200 : 400 })
        expect(/Stack Trace|node_modules|vaulthouse-reader-/.test(body) ? reply : "").toBe("")
      }),
      { concurrency: 4, discard: true },
    )
    expect(others.pollUnsafe()).toBeUndefined()
    yield* Fiber.interrupt(others)
    // The last statements are stopped while the first query after them waits, which may take all of its time.
    yield* get(queryUrl(url, "select 'it' || ' works' as x")).pipe(
      Effect.repeat({ until: ({ body }) => body.includes("it works") }),
      Effect.timeout(`${HANG_SECONDS} seconds`),
    )
    // Else they would be refused for what they have in common, and try nothing.
    expect(ended.answered + ended.stopped).toBeGreaterThan(STATEMENTS / 10)
    expect(ended.refused).toBeGreaterThan(STATEMENTS / 10)
    const sorted = slow.toSorted((a, b) => a - b)
    const at = (part: number) => Math.round(sorted[Math.floor(sorted.length * part)] ?? 0)
    // oxlint-disable-next-line no-console -- docs/security.md has these numbers
    console.log(
      JSON.stringify({ seed, ...ended, pages: sorted.length, median: at(0.5), p95: at(0.95) }),
    )
  }).pipe(Effect.scoped),
)
