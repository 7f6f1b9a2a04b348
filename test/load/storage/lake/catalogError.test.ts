// What is said where a lake's catalog fails, in whatever Effect's client wraps the server's error.
import { expect, it } from "@effect/vitest"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import { PersistedQueueError } from "effect/persistence/PersistedQueue"
import { ConnectionError, SqlError } from "effect/sql/SqlError"
import { catalogError, withoutDefects } from "../../../../src/load/storage/lake/catalogError.ts"

const lost = Object.assign(new Error("read ECONNRESET"), { code: "ECONNRESET" })
const ofStatement = new SqlError({ reason: new ConnectionError({ cause: lost }) })
const ofQueue = new PersistedQueueError({
  message: "Failed to offer element to persisted queue",
  cause: Cause.fail(ofStatement),
})

it.effect.each([
  ["a statement", ofStatement],
  ["the queue", ofQueue],
])("an error of %s says what the server's connection met, a defect too", ([, error]) =>
  Effect.gen(function* () {
    const text = "The lake's catalog db: the connection was lost. Check that the server runs"
    expect(catalogError("db", error).message).toContain(text)
    const found = yield* Effect.flip(withoutDefects(Effect.die(error)))
    expect(catalogError("db", found).message).toContain(text)
  }),
)
