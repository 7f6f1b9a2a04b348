// What is said of bodies that the archive has lost.
import { readdirSync, rmSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { verify } from "../../../src/pipelines/archive/verify.ts"
import { json, scriptedServer } from "../../support/servers/scriptedServer.ts"
import { asAdmin } from "../../support/simulated.ts"
import { temporaryFolder } from "../../support/temporaryFolder.ts"
import { runOnce } from "../../support/warehouseRun.ts"

it.live("a segment that is gone is one finding, with how many bodies went with it", () =>
  Effect.gen(function* () {
    const server = yield* scriptedServer(({ url }, response) => {
      const { searchParams } = new URL(url, "http://service")
      const isFirst = searchParams.get("offset") === "0"
      json(response, isFirst ? [{ address: `0x${"1".repeat(40)}` }] : [])
    })
    const dataDir = yield* temporaryFolder
    const publish = { parquet: { marts: false } }
    yield* runOnce(server.url, dataDir, { pipelines: ["subaccounts"], api: asAdmin, publish })
    const [segment = ""] = readdirSync(join(dataDir, "raw"))
    rmSync(join(dataDir, "raw", segment))
    expect(yield* verify({ dataDir })).toEqual([
      {
        kind: "missing",
        path: `raw/${segment}`,
        detail: expect.stringMatching(
          /^the segment is gone, and with it the body of response \S+ and of 1 more$/,
        ),
      },
    ])
  }).pipe(Effect.scoped),
)
