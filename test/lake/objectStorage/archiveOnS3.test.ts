// The archive in object storage: syncs that are killed lose and repeat nothing, every command that reads or changes
// segments works there, and what is wrong with the access is said without the key.
import { once } from "node:events"
import { existsSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { afterAll, beforeAll } from "vitest"
import { readWholeFrames } from "../../../src/archive/readFrames.ts"
import { segmentFiles } from "../../../src/archive/segments.ts"
import { compact } from "../../../src/pipelines/archive/compact.ts"
import { prune } from "../../../src/pipelines/archive/prune.ts"
import { replay } from "../../../src/pipelines/archive/replay.ts"
import { verify } from "../../../src/pipelines/archive/verify.ts"
import { archiveOf } from "../../../src/pipelines/publication/archiveOf.ts"
import { start, unwrapped, vaulthouse } from "../../cli/command.ts"
import { newPrefix, objectStoreVariables, secretKey } from "../../support/servers/objectStore.ts"
import { content, index, loseTheWarehouse, replayOptions } from "../../support/replays.ts"
import { ahead } from "../../support/movableClock.ts"
import { scriptedServer } from "../../support/servers/scriptedServer.ts"
import { expectTruth, simulated } from "../../support/simulated.ts"
import { temporaryFolder } from "../../support/temporaryFolder.ts"
import { until } from "../../support/until.ts"
import { lake } from "../lake.ts"

/** As if the months of the runs were over. */
const later = <A, E, R>(work: Effect.Effect<A, E, R>) => ahead(40 * 86_400_000, work)

describe.skipIf(lake === undefined)("the archive in object storage", () => {
  const before = { ...process.env }
  beforeAll(() => {
    if (lake !== undefined) Object.assign(process.env, objectStoreVariables())
  })
  afterAll(() => {
    for (const name of Object.keys(objectStoreVariables())) delete process.env[name]
    Object.assign(process.env, before)
  })

  const prepared = (archive: string, url: string, cwd: string) =>
    writeFileSync(
      join(cwd, "vaulthouse.config.yaml"),
      [`baseUrl: ${url}`, `archive: ${archive}`, "parquet: { enabled: false }"].join("\n"),
    )

  it.live(
    "loses and repeats nothing when syncs are killed, and makes every row again by itself",
    () =>
      Effect.gen(function* () {
        const cwd = yield* temporaryFolder
        const dataDir = join(cwd, "data")
        const archive = newPrefix()
        const place = { dataDir, archive }
        const env = objectStoreVariables()
        const simulator = yield* simulated({ now: "2026-06-01T12:00:00Z", vaults: 3, days: 60 })
        prepared(archive, simulator.url, cwd)
        const sync = ["sync", "--no-progress"]
        yield* Effect.promise(async () => {
          for (const requests of [2, 10, 25, 50]) {
            const sent = simulator.requests().total
            const child = start(sync, { cwd, env })
            const ended = once(child, "close")
            await until(
              `it has sent ${requests} requests, or ended`,
              () => child.exitCode !== null || simulator.requests().total >= sent + requests,
            )
            child.kill("SIGKILL")
            await ended
          }
          const whole = await vaulthouse(sync, { cwd, env })
          expect(whole, whole.stderr).toMatchObject({ code: 0 })
          // Those that were killed may have shipped nothing.
          expect(await vaulthouse(sync, { cwd, env })).toMatchObject({ code: 0 })
        })
        yield* expectTruth(simulator, dataDir)
        expect(existsSync(join(dataDir, "raw"))).toBe(false)
        expect(yield* verify(place)).toEqual([])

        const held = [yield* content(dataDir), yield* index(dataDir)]
        const alone = Effect.fnUntraced(function* () {
          loseTheWarehouse(dataDir)
          const replayed = yield* replay({ ...replayOptions(dataDir), archive })
          expect([...replayed.unreadable, ...replayed.lost, ...replayed.unended]).toEqual([])
          return [yield* content(dataDir), yield* index(dataDir)]
        })
        expect(yield* alone()).toEqual(held)

        // A run that ended is one object.
        const store = archiveOf(place)
        const [newest = ""] = (yield* Effect.promise(() => segmentFiles(store))).slice(-1)
        const ends = yield* Effect.promise(async () => {
          const found: Array<string> = []
          for await (const frame of readWholeFrames(store, newest)) {
            found.push(...frame.ends.map(({ runId }) => runId))
          }
          return found
        })
        expect(newest).toContain(ends[0])

        const vault = simulator.truth.vaults[0]?.address ?? ""
        const traced = yield* Effect.promise(() =>
          vaulthouse(["trace", "core.vaults", "--vault", vault, "--body", "--json"], { cwd, env }),
        )
        expect(traced.stdout, traced.stderr).toContain('"fragment":{"path":"$[0]"')

        const joined = yield* later(compact(place))
        expect(joined).toMatchObject({ segmentsAfter: 1 })
        expect(joined.segmentsBefore).toBeGreaterThan(1)
        const pruned = yield* prune({ ...place, olderThanDays: 0, dryRun: false })
        expect(pruned).toMatchObject({ segmentsRewritten: 1 })
        const kept = [yield* content(dataDir), yield* index(dataDir)]
        expect(yield* alone()).toEqual(kept)
        const compared = yield* Effect.promise(() =>
          vaulthouse(["check", "--against-archive", "--no-progress"], { cwd, env }),
        )
        expect(compared, compared.stderr + compared.stdout).toMatchObject({ code: 0 })
      }),
  )

  it.live("names what is wrong with the access, and never the key", () =>
    Effect.gen(function* () {
      const cwd = yield* temporaryFolder
      const simulator = yield* simulated({ now: "2026-06-01T12:00:00Z", vaults: 1, days: 5 })
      const refusing = (code: string, status: number, more = "") =>
        scriptedServer((_, response) => {
          response.writeHead(status, { "content-type": "application/xml" })
          response.end(`<Error><Code>${code}</Code><Message>${code} it is</Message>${more}</Error>`)
        })
      const denied = yield* refusing("AccessDenied", 403)
      const unsigned = yield* refusing("SignatureDoesNotMatch", 403)
      const elsewhere = yield* refusing(
        "AuthorizationHeaderMalformed",
        400,
        "<Region>eu-central-1</Region>",
      )
      const wrong: ReadonlyArray<readonly [string, Readonly<Record<string, string>>, string]> = [
        ["s3://no-such-bucket/raw", {}, "there is no bucket no-such-bucket"],
        [
          newPrefix(),
          { AWS_SECRET_ACCESS_KEY: "not-the-key", AWS_ENDPOINT_URL_S3: unsigned.url },
          "does not accept the key",
        ],
        [newPrefix(), { AWS_ACCESS_KEY_ID: "" }, "Set AWS_ACCESS_KEY_ID"],
        [newPrefix(), { AWS_ENDPOINT_URL_S3: denied.url }, "Allow s3:PutObject"],
        [newPrefix(), { AWS_ENDPOINT_URL_S3: elsewhere.url }, "Set AWS_REGION to eu-central-1"],
        [newPrefix(), { AWS_ENDPOINT_URL_S3: "storage" }, "AWS_ENDPOINT_URL_S3"],
        [newPrefix(), { AWS_ENDPOINT_URL_S3: "http://127.0.0.1:9" }, "can't be reached"],
      ]
      for (const [at, [archive, variables, said]] of wrong.entries()) {
        prepared(archive, simulator.url, cwd)
        const env = { ...objectStoreVariables(), ...variables }
        const { code, stdout, stderr } = yield* Effect.promise(() =>
          vaulthouse(["sync", "--no-progress", "--data-dir", `data-${at}`], { cwd, env }),
        )
        expect(code).not.toBe(0)
        expect(unwrapped(stderr)).toContain(said)
        expect(stdout + stderr).not.toContain("not-the-key")
        expect(stdout + stderr).not.toContain(secretKey)
      }
    }),
  )
})
