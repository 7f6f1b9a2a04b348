// How far a pipeline of a shared run is, and which of its tasks are to be offered next. Pure.
import { type AnyPipeline, TASKS_AT_ONCE } from "../model/Pipeline.ts"

export class PipelineReading {
  readonly pipeline: AnyPipeline
  /** The service refused the key: tasks that are not offered yet are not read. */
  isRefused = false
  done: number
  readonly #tasks: number
  /** Not offered yet. */
  readonly #left: Array<string>
  #offered: number

  constructor(
    pipeline: AnyPipeline,
    claims: ReadonlyArray<{ readonly entity: string; readonly isDone: boolean }>,
  ) {
    this.pipeline = pipeline
    this.#tasks = claims.length
    this.#left = claims.filter(({ isDone }) => !isDone).map(({ entity }) => entity)
    this.done = claims.length - this.#left.length
    this.#offered = this.done
  }

  get isOver(): boolean {
    return this.done === this.#tasks || (this.isRefused && this.done === this.#offered)
  }

  /** Tasks to offer now: all, or as many as may be read at once. */
  next(): ReadonlyArray<string> {
    if (this.isRefused) return []
    const { atOnce = Infinity, endpoint } = this.pipeline
    // If a key is needed, the first task runs alone, so that the service refuses a wrong key only once. It may refuse it for what
    // is public too.
    const untilDone = endpoint.auth === "public" ? Math.min(atOnce, TASKS_AT_ONCE) : 1
    const limit = this.done === 0 ? untilDone : atOnce
    const next = this.#left.splice(0, Math.max(0, limit - (this.#offered - this.done)))
    this.#offered += next.length
    return next
  }
}
