// What planner and workers of a shared run decide without a lake; test/lake has the processes.
import * as Redacted from "effect/Redacted"
import { describe, expect, it } from "vitest"
import { pipelines } from "../../../src/pipelines/pipelines.ts"
import { defaultRunSettings, runSettings } from "../../../src/pipelines/model/runSettings.ts"
import {
  type AgreedOptions,
  agreementOf,
  differencesOf,
} from "../../../src/pipelines/workers/agreement.ts"
import { PipelineReading } from "../../../src/pipelines/workers/PipelineReading.ts"
import { cursorsByPartition } from "../../../src/pipelines/workers/request.ts"

const claims = (done: number, left: number) =>
  Array.from({ length: done + left }, (_, at) => ({ entity: `e${at}`, isDone: at < done }))

const reading = (name: string, done: number, left: number) => {
  const pipeline = pipelines.find((each) => each.name === name)
  if (pipeline === undefined) throw new Error(`there is no pipeline ${name}`)
  return new PipelineReading(pipeline, claims(done, left))
}

describe("tasks are offered", () => {
  it("all at once where no key is needed", () => {
    const public_ = reading("ratio_history", 0, 3)
    expect(public_.next()).toEqual(["e0", "e1", "e2"])
    expect(public_.next()).toEqual([])
    public_.done = 3
    expect(public_.isOver).toBe(true)
  })

  it("one alone where a key is needed, and no more once it was refused", () => {
    const probed = reading("health_factors", 0, 3)
    expect(probed.next()).toEqual(["e0"])
    expect(probed.next()).toEqual([])
    probed.done = 1
    expect(probed.next()).toEqual(["e1", "e2"])
    const refused = reading("health_factors", 0, 3)
    refused.next()
    refused.done = 1
    refused.isRefused = true
    expect(refused.next()).toEqual([])
    expect(refused.isOver).toBe(true)
  })

  it("as many as the service can read at once, by a planner that continues too", () => {
    const limited = reading("protocol_positions", 2, 6)
    expect(limited.next()).toEqual(["e2", "e3", "e4", "e5"])
    limited.done = 4
    expect(limited.next()).toEqual(["e6", "e7"])
    expect(limited.isOver).toBe(false)
  })
})

describe("a first claim", () => {
  it("carries the cursors of its partition and of its series, and those of no other", () => {
    const stored = ["a", "a smoothed", "a@1", "ab", "b unsmoothed"].map(
      (key) => [key, key] as const,
    )
    const found = cursorsByPartition(new Map(stored))
    const keysOf = (entity: string) => found.get(entity)?.map(([key]) => key)
    expect(keysOf("a")).toEqual(["a", "a smoothed"])
    expect(keysOf("a@1")).toEqual(["a@1"])
    expect(keysOf("b")).toEqual(["b unsmoothed"])
    expect(keysOf("c")).toBeUndefined()
  })
})

describe("planner and workers agree", () => {
  const options: AgreedOptions = {
    version: "1.0.0",
    api: {
      baseUrl: "https://api.example.com",
      apiKey: Redacted.make("secret-key"),
      wire: { platformSegment: "platform", case: "camel", names: {}, paths: {} },
    },
    settings: defaultRunSettings,
    unsupportedRetryDays: 7,
    leaseSeconds: 60,
  }
  const namesOf = (other: AgreedOptions) =>
    differencesOf(agreementOf("run", options), agreementOf("run", other)).map(({ name }) => name)

  it("on what decides which rows are read, and not on the options of a run", () => {
    expect(namesOf(options)).toEqual([])
    expect(namesOf({ ...options, settings: { ...defaultRunSettings, full: true } })).toEqual([])
    expect(
      namesOf({ ...options, settings: runSettings({ ...defaultRunSettings, overlapDays: 9 }) }),
    ).toEqual(["overlapDays"])
    const api = { ...options.api, baseUrl: "https://other.example.com", apiKey: undefined }
    expect(namesOf({ ...options, version: "1.1.0", api })).toEqual(["version", "baseUrl", "apiKey"])
    expect(namesOf({ ...options, archive: "s3://bucket/archive" })).toEqual(["archive"])
  })

  it("on the lease, by which one worker takes the tasks of another for its own", () => {
    expect(namesOf({ ...options, leaseSeconds: 300 })).toEqual(["workerLease"])
  })

  it("without the key's being stored", () => {
    const agreement = JSON.stringify(agreementOf("run", options))
    expect(agreement).not.toContain("secret-key")
    expect(agreement).not.toEqual(JSON.stringify(agreementOf("another", options)))
  })
})
