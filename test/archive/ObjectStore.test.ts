// Requests to object storage whose response is lost or says that the store waited too long.
import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { memoryStore, refuse } from "../support/servers/memoryStore.ts"

it.live("an object is removed if the store had removed it before the response was lost", () =>
  Effect.gen(function* () {
    const { objects, methods, store, answers } = yield* memoryStore
    objects.set("segment", Buffer.from("x"))
    answers((_, response, number) => {
      if (number === 1) response.destroy()
      else refuse(response, 404, "NoSuchKey")
      return true
    })
    yield* Effect.promise(() => store.remove("segment"))
    expect(methods).toEqual(["DELETE", "DELETE"])
    expect(objects.size).toBe(0)
  }),
)

it.live("an upload that stood still is repeated", () =>
  Effect.gen(function* () {
    const { objects, methods, store, answers } = yield* memoryStore
    answers((_, response, number) => {
      if (number > 1) return false
      objects.clear()
      refuse(response, 400, "RequestTimeout")
      return true
    })
    yield* Effect.promise(() => store.write("segment", Buffer.from("x")))
    expect(methods).toEqual(["PUT", "PUT"])
    expect(objects.get("segment")?.toString()).toBe("x")
  }),
)
