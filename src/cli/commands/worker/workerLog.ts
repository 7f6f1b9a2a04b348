// The log of a worker: the runs it joins and leaves, its progress every ten seconds, failures and warnings.
import { hostname } from "node:os"
import type { WorkerEvent } from "../../../pipelines/workers/worker.ts"
import { paintProgress } from "../../terminal/color.ts"
import { isPretty, type LogLine, type LogSettings, printLine } from "../../execute/logLine.ts"
import { duration } from "../../words/numbers.ts"
import { progressLines } from "../sync/progressDisplay.ts"
import { counted } from "../../../domain/values/numbers.ts"

const PROGRESS_MILLIS = 10_000

export interface LogOptions {
  readonly worker: string
  readonly log: LogSettings
  readonly isShown: boolean
  /** Whether the archive is in the worker's data directory. */
  readonly hasOwnArchive: boolean
}

export const workerLog = ({ worker, log, isShown, hasOwnArchive }: LogOptions) => {
  let isArchiveNoted = !hasOwnArchive
  let lineOf = progressLines()
  let done = noWork()
  let reported = done.tasks
  let runId: string | undefined
  let hasLost = false

  const print = ({ fields, ...line }: LogLine): void => {
    if (!isShown) return
    const message = isPretty(log)
      ? paintProgress(`worker: ${line.message}`)
      : `worker: ${line.message}`
    printLine({ ...line, message, fields: { worker, runId, ...fields } }, log)
  }
  const info = (message: string, fields: object = {}): void =>
    print({ level: "INFO", message, fields: { ...fields } })

  const timer = setInterval(() => {
    if (runId === undefined || done.tasks === reported) return
    reported = done.tasks
    info(`${doneText(done)} so far`, done)
  }, PROGRESS_MILLIS).unref()

  const onEvent = (event: WorkerEvent): void => {
    switch (event.kind) {
      case "idle":
        runId = undefined
        info(`${worker} waits for a run`)
        return
      case "joined":
        ;({ runId } = event.run)
        lineOf = progressLines()
        done = noWork()
        reported = 0
        hasLost = false
        info(joinedText(event.run))
        if (!isArchiveNoted && !isHere(event.run.planner)) {
          isArchiveNoted = true
          print(archiveLine)
        }
        return
      case "planner":
        print(plannerLine(event.run))
        return
      case "left":
        info(
          `leaves run ${event.runId} after ${doneText(done)} in ${duration(event.seconds)}`,
          done,
        )
        return
      case "lost":
        // A worker loses all of its tasks at once: one line is enough.
        if (!hasLost) print(lostLine(event.task))
        hasLost = true
        return
      case "page":
        done.rows += event.rows
        done.requests += event.requests
        return
      case "done":
        done.tasks += 1
        return
      default: {
        const line = lineOf(event)
        if (line !== undefined) print(line)
      }
    }
  }
  return { onEvent, stop: () => clearInterval(timer) }
}

const noWork = () => ({ tasks: 0, rows: 0, requests: 0 })

const doneText = ({ tasks, rows, requests }: ReturnType<typeof noWork>): string =>
  `${counted(tasks, "task")}, ${counted(rows, "row")}, ${counted(requests, "request")}`

const lostLine = ({ pipeline, entity }: TaskName): LogLine => ({
  level: "WARN",
  message: `${pipeline} of ${entity} is no longer this worker's: it was silent for longer than its lease, or the run has ended. It committed nothing more of this task`,
  fields: { pipeline, entity },
})

/** `planner` names a process and its machine, as `thisPlanner` writes them. */
const isHere = (planner: string): boolean => planner.endsWith(`@${hostname()}`)

const archiveLine: LogLine = {
  level: "WARN",
  message:
    "this worker and the planner are on different machines, and the setting `archive` is not set: each archives into its own data directory, where `trace`, `replay` and `verify` on another machine can't find it. Set `archive` to a folder or bucket that all machines can reach",
}

const plannerLine = ({ runId, planner, hasPlanner }: Run): LogLine =>
  hasPlanner
    ? { level: "INFO", message: `run ${runId} has a planner again` }
    : {
        level: "WARN",
        message: `the planner of run ${runId}, ${planner}, is gone: workers read the tasks it has offered, then wait. \`vaulthouse sync --workers\`, on any machine, continues the run`,
      }

type TaskName = Extract<WorkerEvent, { kind: "lost" }>["task"]

type Run = Extract<WorkerEvent, { kind: "joined" }>["run"]

const joinedText = ({ runId, command, planner }: Run): string =>
  `reads run ${runId} (${command}), planned by ${planner}`
