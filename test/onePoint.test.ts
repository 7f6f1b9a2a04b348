// One ratio point on its whole way: from the service's response through archive, table, version, mart, published copy and
// Parquet to the page and `trace`, and again by a replay. The value and the id of its response are followed.
import { readFileSync } from "node:fs"
import { readdir } from "node:fs/promises"
import { join } from "node:path"
import { zstdDecompressSync } from "node:zlib"
import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { asyncBufferFromFile, parquetReadObjects } from "hyparquet"
import { compressors } from "hyparquet-compressors"
import type { Trace } from "../src/pipelines/readers/trace/trace.ts"
import { vaulthouse } from "./cli/command.ts"
import { get, startServer } from "./serve/support.ts"
import { loseTheWarehouse, replayed } from "./support/replays.ts"
import { simulated } from "./support/simulated.ts"
import { temporaryFolder } from "./support/temporaryFolder.ts"
import { queries, queriesOfFile, runOnce } from "./support/warehouseRun.ts"

interface Point {
  readonly timestamp: string
  readonly actual_tvl: number
}

/** The point of this hour in a response's body. */
const pointIn = (body: string, hour: string): Point | undefined =>
  (JSON.parse(body) as ReadonlyArray<Point>).find(({ timestamp }) => timestamp.startsWith(hour))

/** The body of a response, from the bytes of its segment that the index names. */
const archivedBody = (dataDir: string, row: Readonly<Record<string, unknown>>): string => {
  const segment = readFileSync(join(dataDir, "raw", String(row["archive_file"])))
  const from = Number(row["archive_offset"])
  const frame = segment.subarray(from, from + Number(row["archive_length"]))
  const line = zstdDecompressSync(frame)
    .toString()
    .split("\n")
    .find((each) => each.includes(`"response_id":"${String(row["response_id"])}"`))
  const [, body = ""] = /,"body":([^]*)\}$/.exec(line ?? "") ?? []
  return body
}

/** The rows of the published Parquet files of a table at an instant, as another reader finds them. */
const parquetRows = async (dataDir: string, table: string, at: string) => {
  const folder = join(dataDir, "parquet/current/core", table)
  const files = (await readdir(folder)).filter((name) => name.endsWith(".parquet"))
  const rows = await Promise.all(
    files.map(async (name) =>
      parquetReadObjects({ file: await asyncBufferFromFile(join(folder, name)), compressors }),
    ),
  )
  return rows.flat().filter(({ observed_at: seen }) => (seen as Date).toISOString().startsWith(at))
}

it.live(
  "one ratio point, from the response to every reader, and through a revision and a replay",
  () =>
    Effect.gen(function* () {
      const dataDir = yield* temporaryFolder
      const simulator = yield* simulated({ now: "2026-06-01T12:00:00Z", days: 6, vaults: 1 })
      const vault = simulator.truth.vaults[0]?.address.toLowerCase() ?? ""
      const run = () =>
        runOnce(simulator.url, dataDir, {
          pipelines: ["vaults", "ratio_history"],
          publish: { parquet: { marts: false } },
        })
      const values =
        "actual_tvl as value, observed_at::varchar as at, _response_id as response, _run_id as run"
      const indexed = (response: unknown) =>
        `select response_id, url, is_landed, archive_file, archive_offset, archive_length
       from raw.responses where response_id = '${String(response)}'`

      // The service, the archive and the table.
      yield* run()
      const newest = `select ${values} from core.ratio_history order by observed_at desc limit 1`
      const [[{ response: id } = {}] = []] = yield* queries(dataDir, [newest])
      const [[response = {}] = []] = yield* queries(dataDir, [indexed(id)])
      expect(response).toMatchObject({ is_landed: true, url: expect.stringContaining(vault) })
      const sent = yield* Effect.promise(async () => (await fetch(String(response["url"]))).text())
      expect(archivedBody(dataDir, response)).toBe(sent)

      // A revision of some points: the old value of each keeps its response. One of them is followed.
      simulator.patch({ now: "2026-06-01T14:00:00Z", revision: 1 })
      yield* run()
      const revised = `select v.observed_at::varchar as at from core.ratio_history_versions v
      join core.ratio_history r using (vault_address, observed_at)
      where v._response_id = '${String(id)}' and v.actual_tvl <> r.actual_tvl
      order by v.observed_at desc limit 1`
      const [[{ at = "" } = {}] = []] = yield* queries(dataDir, [revised])
      const hour = String(at).slice(0, 13).replace(" ", "T")
      expect(hour).toMatch(/^2026-0[56]-\d\dT\d\d$/)
      const isHour = `vault_address = '${vault}' and date_trunc('hour', observed_at) = '${hour}:00'`
      const row = `select ${values} from core.ratio_history where ${isHour}`
      const version = `select ${values} from core.ratio_history_versions where ${isHour}`
      const marts = [
        `select backing as value from mart.vault_hourly where vault_address = '${vault}' and hour_at = '${hour}:00'`,
        `select min(backing) as value from mart.ratio_points where ${isHour}`,
      ]
      const found = yield* queries(dataDir, [row, version, ...marts])
      const [[second = {}] = [], [first = {}, ...others] = []] = found
      expect(others).toEqual([])
      expect(first["response"]).toBe(id)
      expect(first["value"]).toBe(pointIn(sent, hour)?.actual_tvl)
      expect(second["value"]).not.toBe(first["value"])
      expect(second["response"]).not.toBe(first["response"])
      expect(second["run"]).not.toBe(first["run"])
      const [[newer = {}] = []] = yield* queries(dataDir, [indexed(second["response"])])
      expect(pointIn(archivedBody(dataDir, newer), hour)?.actual_tvl).toBe(second["value"])

      // The marts, the published copy and Parquet.
      const ofMart = [{ value: second["value"] }]
      expect(found.slice(2)).toEqual([ofMart, ofMart])
      const copy = join(dataDir, "published/vaulthouse.duckdb")
      expect(yield* queriesOfFile(copy, [row, version, ...marts])).toEqual(found)
      for (const [table, { value, response: from, run: by }] of [
        ["ratio_history", second],
        ["ratio_history_versions", first],
      ] as const) {
        const rows = yield* Effect.promise(() => parquetRows(dataDir, table, hour))
        expect(rows).toMatchObject([
          { actual_tvl: value, _response_id: from, _run_id: by, vault_address: vault },
        ])
      }

      // `trace` and the page.
      const args = ["trace", "vault_hourly", "--vault", vault, "--at", `${hour}:00`]
      const { code, stdout } = yield* Effect.promise(() =>
        vaulthouse([...args, "--column", "backing", "--body", "--json", "--data-dir", dataDir], {
          cwd: dataDir,
        }),
      )
      expect(code).toBe(0)
      const traced = JSON.parse(stdout) as Trace
      expect(traced.values).toEqual({ backing: second["value"] })
      const [fact] = traced.origins[0]?.facts ?? []
      expect(fact?.values).toEqual({ actual_tvl: second["value"] })
      expect(fact?.response).toMatchObject({ response_id: second["response"] })
      expect(fact?.run).toMatchObject({ run_id: second["run"] })
      expect(fact?.superseded).toMatchObject([{ actual_tvl: first["value"] }])
      expect(JSON.stringify(fact?.fragment)).toContain(String(second["value"]))
      const server = yield* startServer(dataDir)
      const query = new URLSearchParams({
        column: "backing",
        vault_address: vault,
        at: `${hour.replace("T", " ")}:00:00`,
      })
      const page = yield* get(`${server}/trace/mart.vault_hourly?${query.toString()}`)
      expect(page.status).toBe(200)
      expect(page.body).toContain(String(second["run"]))
      expect(page.body).toContain(String(newer["url"]).replaceAll("&", "&amp;"))
      const { archive_file: file, archive_offset: offset } = newer
      expect(page.body).toContain(`in segment ${String(file)}, frame at byte ${String(offset)}`)

      // A replay.
      loseTheWarehouse(dataDir)
      yield* replayed(dataDir)
      expect(yield* queries(dataDir, [row, version, ...marts])).toEqual(found)
    }),
)
