// What a run reports of its tasks: to the log, the bars and the counts of a person who watches.
import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type { ProgressEvent } from "../../../../src/pipelines/model/progress.ts"
import { reportTask } from "../../../../src/pipelines/run/task/reportTask.ts"
import { asAdmin, simulated } from "../../../support/simulated.ts"
import { temporaryFolder } from "../../../support/temporaryFolder.ts"
import { query, runOnce } from "../../../support/warehouseRun.ts"

it("the rows of all tables, and a text as a warning unless the task failed or was skipped", () => {
  const reported = (
    outcome: Parameters<typeof reportTask>[3]["outcome"],
    more: { readonly text?: string; readonly error?: never } = {},
  ) => {
    const events: Array<ProgressEvent> = []
    const rows = [{ length: 2 }, { length: 3 }] as never
    const result = { window: "", rows, responses: [], requests: 4 }
    const committed = { inserted: 5, revised: 0 } as never
    reportTask(
      (event) => void events.push(event),
      { pipeline: "fees", entity: "a" },
      result,
      { outcome, ...more } as never,
      committed,
    )
    return events
  }
  const task = { kind: "task", pipeline: "fees", entity: "a" }
  const page = { kind: "page", pipeline: "fees", entity: "a", rows: 5, requests: 4 }
  expect(reported("landed")).toEqual([page, expect.objectContaining(task)])
  expect(reported("landed", { text: "odd" })).toEqual([
    page,
    { kind: "warning", pipeline: "fees", text: "a: odd" },
    expect.objectContaining({ ...task, text: "odd" }),
  ])
  expect(reported("skipped", { text: "no access" })).toEqual([page, expect.objectContaining(task)])
})

it.live("a run reports each task that was committed", () =>
  Effect.gen(function* () {
    const { url } = yield* simulated({ vaults: 2, days: 1, now: "2026-06-01T12:00:00Z" })
    const dataDir = yield* temporaryFolder
    const { events } = yield* runOnce(url, dataDir, { api: asAdmin, pipelines: ["fees"] })
    const tasks = events.filter(({ kind }) => kind === "task")
    const [stored] = yield* query(dataDir, "select count(*)::integer as n from ops.tasks")
    expect(tasks).toHaveLength(Number(stored?.["n"]))
    expect(tasks.length).toBeGreaterThan(1)
  }).pipe(Effect.scoped),
)
