// Where a warehouse may be.
import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { storageOf } from "../../../src/pipelines/publication/warehouse.ts"

const warehouse = Redacted.make("ducklake:postgres://etl@db.example.com/lake")
const storageAt = (data: string | undefined, dataDir = "/srv/data") =>
  storageOf({ dataDir, warehouse, lake: { data, extensions: undefined } })

it.effect("a lake's folder has none of the files that are published from it", () =>
  Effect.gen(function* () {
    for (const data of ["/srv/data", "/srv/data/", "/srv", "/", "/srv/data/parquet"]) {
      const refused = yield* Effect.flip(storageAt(data))
      expect(refused.message).toContain(
        `lake.data is ${data}, and /srv/data/parquet is in it, whose Parquet files \`vaulthouse maintain\` would delete`,
      )
    }
    for (const data of ["/srv/data/lake", "/srv/dat", "/srv/..data", "s3://srv/data", undefined]) {
      expect((yield* storageAt(data)).shown).toMatch(/^ducklake:/)
    }
    // A name that only looks like that of the folder above.
    yield* storageAt("/srv", "/srv2/data")
    yield* Effect.flip(storageAt("/srv", "/srv/..data"))
  }),
)
