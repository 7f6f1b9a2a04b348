// What a move out of a lake refuses before it does anything; test/lake/move.test.ts moves.
import { existsSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type { Session } from "../../src/load/commit/session.ts"
import { moveToFile } from "../../src/load/transfer/moveWarehouse.ts"
import { temporaryFolder } from "../support/temporaryFolder.ts"

it.live("no file is made beside the log of a database that is gone", () =>
  Effect.gen(function* () {
    const file = join(yield* temporaryFolder, "vaulthouse.duckdb")
    writeFileSync(`${file}.wal`, "")
    const message = yield* Effect.promise(() =>
      moveToFile({} as Session, file, [], []).then(
        () => "moved",
        ({ message: why }: Error) => why,
      ),
    )
    expect(message).toBe(
      `Moving the warehouse to ${file}: there is vaulthouse.duckdb.wal of a database that is gone. Nothing was changed. Move ${file}.wal to where that database is now, or away, and run this again; DuckDB would take a log for that of the new one.`,
    )
    expect(existsSync(`${file}.moving`)).toBe(false)
  }),
)
