// The progress of a run's workers, from the records of their tasks: counts for the summary, and the events that a run
// in one process reports by itself.
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { isFailure, type RecordedOutcome } from "../../domain/run/outcome.ts"
import { decodeRow, list, number, optional, text } from "../../load/duckdb/decodeRow.ts"
import { sqlFile } from "../../load/sql/sqlFile.ts"
import { Warehouse } from "../../load/Warehouse.ts"
import type { AnyPipeline } from "../model/Pipeline.ts"
import type { OnProgress } from "../model/progress.ts"
import { KeyUse } from "../run/KeyUse.ts"
import { Tally } from "../run/Tally.ts"

const counted = decodeRow({
  pipeline: text("pipeline"),
  outcome: text("outcome"),
  tasks: number("tasks"),
  requests: number("requests"),
  inserted: number("inserted"),
  revised: number("revised"),
  unchanged: number("unchanged"),
  errorTexts: list(text)("error_texts"),
})

const keyResult = decodeRow({
  pipeline: text("pipeline"),
  entity: text("entity"),
  errorTag: optional(text)("error_tag"),
})

interface Begun {
  readonly pipeline: AnyPipeline
  readonly startedAt: number
}

export class RunProgress {
  readonly tallies = new Map<string, Tally>()
  key: KeyUse
  readonly #begun = new Map<string, Begun>()
  readonly #runId: string
  readonly #hasKey: boolean
  readonly #onProgress: OnProgress
  readonly #reported = new Set<string>()

  constructor(runId: string, hasKey: boolean, onProgress: OnProgress) {
    this.#runId = runId
    this.#hasKey = hasKey
    this.#onProgress = onProgress
    this.key = new KeyUse(hasKey)
  }

  begin(pipeline: AnyPipeline, tasks: number) {
    return Effect.map(Clock.currentTimeMillis, (startedAt) => {
      this.#begun.set(pipeline.name, { pipeline, startedAt })
      this.tallies.set(pipeline.name, new Tally(pipeline.name, pipeline.title, startedAt))
      this.#onProgress({ kind: "started", pipeline: pipeline.name, tasks })
    })
  }

  /** Reports that `tasks` more tasks of the pipeline are done. */
  done({ name }: AnyPipeline, tasks: number): void {
    for (let at = 0; at < tasks; at += 1) {
      this.#onProgress({ kind: "done", pipeline: name, entity: "-" })
    }
  }

  finish({ name }: AnyPipeline) {
    return Effect.map(Clock.currentTimeMillis, (now) => {
      const tally = this.tallies.get(name)
      if (tally === undefined) return
      tally.finish(now)
      this.#onProgress({ kind: "finished", pipeline: name, summary: tally.summary })
    })
  }

  /** Counts again everything that has been committed, and reports what has been added. */
  readonly count = Effect.gen({ self: this }, function* () {
    const rows = yield* (yield* Warehouse).rows(sqlFile("runs", "progress"), [this.#runId])
    const byPipeline = Map.groupBy(rows.map(counted), ({ pipeline }) => pipeline)
    for (const [name, { pipeline, startedAt }] of this.#begun) {
      const before = this.tallies.get(name)
      const tally = new Tally(name, pipeline.title, startedAt)
      for (const { outcome, tasks, errorTexts, ...totals } of byPipeline.get(name) ?? []) {
        const recorded = outcome as RecordedOutcome
        tally.add(recorded, tasks, errorTexts, totals)
        for (const each of errorTexts) this.#report(name, recorded, each)
      }
      const rowsAdded = tally.rows - (before?.rows ?? 0)
      const requestsAdded = tally.requests - (before?.requests ?? 0)
      if (rowsAdded + requestsAdded > 0) {
        const page = { rows: rowsAdded, requests: requestsAdded }
        this.#onProgress({ kind: "page", pipeline: name, entity: "-", ...page })
      }
      this.tallies.set(name, tally)
    }
  })

  /** Learns anew from all tasks what the key gives access to. */
  readonly learn = Effect.gen({ self: this }, function* () {
    const rows = yield* (yield* Warehouse).rows(sqlFile("runs", "key_use"), [this.#runId])
    this.key = new KeyUse(this.#hasKey)
    for (const { pipeline, entity, errorTag } of rows.map(keyResult)) {
      const begun = this.#begun.get(pipeline)
      if (begun !== undefined) this.key.learn(begun.pipeline, entity, errorTag)
    }
  })

  #report(pipeline: string, outcome: RecordedOutcome, errorText: string): void {
    const key = `${pipeline} ${errorText}`
    if (this.#reported.has(key) || outcome === "skipped") return
    this.#reported.add(key)
    if (outcome === "suspicious_empty") {
      this.#onProgress({ kind: "warning", pipeline, text: errorText })
    } else if (isFailure(outcome)) {
      this.#onProgress({ kind: "task", pipeline, entity: "-", outcome, text: errorText })
    }
  }
}
