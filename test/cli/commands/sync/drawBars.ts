// Every pipeline under way at once, and done one after the other: drawn on this process's terminal.
import { setTimeout } from "node:timers/promises"
import { bars } from "../../../../src/cli/commands/sync/bars.ts"
import { pipelineNames } from "../../../../src/pipelines/pipelines.ts"
import { Tally } from "../../../../src/pipelines/run/Tally.ts"

const { onProgress, stop } = bars(() => undefined)
const read = (pipeline: string): void => {
  onProgress({ kind: "page", pipeline, entity: "-", rows: 4567, requests: 1 })
  onProgress({ kind: "done", pipeline, entity: "-" })
}
for (const pipeline of pipelineNames) {
  onProgress({ kind: "started", pipeline, tasks: 2 })
  read(pipeline)
}
await setTimeout(300)
for (const pipeline of pipelineNames) {
  read(pipeline)
  onProgress({ kind: "finished", pipeline, summary: new Tally(pipeline, pipeline, 0).summary })
  await setTimeout(10)
}
stop()
