// A copy that somebody has changed: looking for that runs none of its SQL with access to anything else.
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { publishedFile } from "../../../../src/load/published/read/PublishedCopy.ts"
import { verify } from "../../../../src/load/published/verify/verify.ts"
import { temporaryFolder } from "../../../support/temporaryFolder.ts"
import { changeFile } from "../../../support/warehouseRun.ts"
import { commit, readingsBatch } from "../../sample.ts"
import { asRun, publishAll, twoMonths } from "../publishing.ts"

it.live("a view in the place of a table reads no file of this machine, and is found", () =>
  Effect.gen(function* () {
    const dataDir = yield* temporaryFolder
    yield* asRun(dataDir, Effect.andThen(commit(readingsBatch(twoMonths(1))), publishAll))
    expect(yield* verify(dataDir)).toEqual([])
    const secret = join(yield* temporaryFolder, "secret")
    writeFileSync(secret, "nobody may read this")
    yield* changeFile(
      publishedFile(dataDir),
      "DROP TABLE ops.publications",
      `CREATE VIEW ops.publications AS
       SELECT content AS run_id, now()::TIMESTAMP AS published_at FROM read_text('${secret}')`,
    )
    const findings = yield* verify(dataDir)
    expect(findings).toEqual([
      {
        kind: "unreadable",
        path: "published/vaulthouse.duckdb",
        detail: expect.stringContaining("Cannot access file") as unknown,
      },
    ])
    expect(JSON.stringify(findings)).not.toContain("nobody may read this")
  }),
)
