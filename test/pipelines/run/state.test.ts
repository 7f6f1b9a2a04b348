import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type { AnyPipeline, Partition, RunContext } from "../../../src/pipelines/model/Pipeline.ts"
import { plannedTasks, type StoredState } from "../../../src/pipelines/run/state.ts"
import type { Warehouse } from "../../../src/load/Warehouse.ts"

const partitions: ReadonlyArray<Partition<string>> = [
  { entity: "not offered", subject: "a", unsupported: "EVM only" },
  { entity: "waits", subject: "b" },
  { entity: "absent", subject: "c" },
  { entity: "half cached", subject: "d" },
  { entity: "cached", subject: "e" },
  { entity: "new", subject: "f" },
]
const cached = new Set(["cached 1", "cached 2", "half cached 1"])

const stored: StoredState = {
  cursors: () => new Map([["new", 7]]),
  gaps: () => new Map([["new", [{ pipeline: "p", entity: "new", fromAt: 1, toAt: 2 }]]]),
  skips: () => ({
    hasPartition: (entity) => entity === "absent",
    hasWindow: (entity, window) => cached.has(`${entity} ${window}`),
  }),
  unread: () => new Map([["waits", { errorTag: "Timeout", waits: "until 5 o'clock" }]]),
  vaults: Effect.succeed([]),
  storedVaults: Effect.succeed([]),
  subaccounts: Effect.succeed([]),
}

const planned = (windows?: ReadonlyArray<string>) => {
  const pipeline = {
    name: "p",
    partitions: () => Effect.succeed(partitions),
    ...(windows === undefined ? {} : { windows: () => windows }),
  } as unknown as AnyPipeline
  const context = { fillGaps: false } as RunContext
  const options = { vaults: { include: [], exclude: [] }, unsupportedRetryDays: 7 }
  return plannedTasks({} as Warehouse["Service"], stored, pipeline, context, options)
}
const entities = (windows?: ReadonlyArray<string>) =>
  Effect.map(planned(windows), (tasks) => tasks.map(({ partition }) => partition.entity))

it.effect("what is requested comes first, then what is only recorded", () =>
  Effect.gen(function* () {
    expect(yield* entities()).toEqual(["half cached", "cached", "new", "not offered", "waits"])
  }),
)

it.effect("a partition is left out once all of its windows are, and no other window of it", () =>
  Effect.gen(function* () {
    const found = yield* planned(["1", "2"])
    expect(found.map(({ partition }) => partition.entity)).toEqual([
      "absent",
      "half cached",
      "new",
      "not offered",
      "waits",
    ])
    const [, half, fresh] = found
    expect(["1", "2"].map((window) => half?.state.isSkipped(window))).toEqual([true, false])
    expect(fresh?.state).toMatchObject({ openGaps: [{ fromAt: 1, toAt: 2 }] })
    expect([fresh?.state.cursor("new"), half?.state.cursor("half cached")]).toEqual([7, undefined])
  }),
)
