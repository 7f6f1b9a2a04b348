// The floor: fetches the same bodies, parses them and bulk-loads every number and text without checks.
// node bench/scripts/floor.ts DATA_DIR_OF_A_SYNC DATABASE
import { DuckDBDataChunk, DuckDBInstance, DOUBLE, VARCHAR } from "@duckdb/node-api"
import { printMeasured } from "../measured.ts"
import { urlsOf } from "./urls.ts"

const AT_ONCE = 16
const CHUNK = 2048

const [syncDir = "", file = ""] = process.argv.slice(2)

const urls = (await urlsOf(syncDir)).map(({ url }) => url)

const startedAt = performance.now()
const connection = await (await DuckDBInstance.create(file)).connect()
await connection.run(
  "create table floor (entity varchar, observed varchar, a double, b double, c double)",
)
const appender = await connection.createAppender("floor")
const types = [VARCHAR, VARCHAR, DOUBLE, DOUBLE, DOUBLE]
let columns: Array<Array<string | number | null>> = types.map(() => [])
let rows = 0

const flush = (): void => {
  const chunk = DuckDBDataChunk.create(types)
  chunk.setColumns(columns)
  appender.appendDataChunk(chunk)
  columns = types.map(() => [])
}

const append = (entity: string, record: object): void => {
  const values: Array<unknown> = Object.values(record)
  const numbers = values.filter((value) => typeof value === "number")
  columns[0]?.push(entity)
  columns[1]?.push((values.find((value) => typeof value === "string") as string) ?? null)
  columns[2]?.push(numbers[0] ?? null)
  columns[3]?.push(numbers[1] ?? null)
  columns[4]?.push(numbers[2] ?? null)
  rows += 1
  if (columns[0]?.length === CHUNK) flush()
}

const load = (url: string, body: unknown): void => {
  if (Array.isArray(body)) for (const record of body) append(url, record as object)
  else if (typeof body === "object" && body !== null) {
    const { points, labels, values } = body as Record<string, Array<unknown> | undefined>
    for (const point of points ?? []) append(url, point as object)
    for (const [at, label] of (labels ?? []).entries()) append(url, { label, value: values?.[at] })
  }
}

const queue = [...urls]
await Promise.all(
  Array.from({ length: AT_ONCE }, async () => {
    for (let url = queue.pop(); url !== undefined; url = queue.pop()) {
      load(url, await (await fetch(url)).json())
    }
  }),
)
flush()
appender.closeSync()
await connection.run("checkpoint")
printMeasured(startedAt, { rows, requests: urls.length })
