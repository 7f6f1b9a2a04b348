// How many tasks of a pipeline workers get before it is known whether the key is refused.
import { expect, it } from "vitest"
import { pipelines } from "../../../src/pipelines/pipelines.ts"
import { TASKS_AT_ONCE } from "../../../src/pipelines/model/Pipeline.ts"
import { PipelineReading } from "../../../src/pipelines/workers/PipelineReading.ts"

const TASKS = 200

const readingOf = (isPublic: boolean): PipelineReading => {
  const found = pipelines.find(
    ({ endpoint, atOnce }) => (endpoint.auth === "public") === isPublic && atOnce === undefined,
  )
  if (found === undefined) throw new Error("no such pipeline")
  const claims = Array.from({ length: TASKS }, (_, at) => ({ entity: String(at), isDone: false }))
  return new PipelineReading(found, claims)
}

it.each([
  [true, TASKS_AT_ONCE],
  [false, 1],
])("public: %s: at first %i, and all others once one is done", (isPublic, first) => {
  const reading = readingOf(isPublic)
  expect(reading.next()).toHaveLength(first)
  expect(reading.next()).toHaveLength(0)
  reading.done = 1
  expect(reading.next()).toHaveLength(TASKS - first)
})

it.each([
  [true, TASKS_AT_ONCE],
  [false, 1],
])("public: %s: no more than %i where the key is refused", (isPublic, first) => {
  const reading = readingOf(isPublic)
  expect(reading.next()).toHaveLength(first)
  reading.done = 1
  reading.isRefused = true
  expect(reading.next()).toHaveLength(0)
  expect(reading.isOver).toBe(first === 1)
  reading.done = first
  expect(reading.isOver).toBe(true)
})
