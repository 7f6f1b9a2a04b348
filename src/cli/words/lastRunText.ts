// The state of the newest run in a sentence.
import type { LastRun } from "../../pipelines/run/lastRun.ts"
import { duration, instantText } from "./numbers.ts"
import { count, counted } from "../../domain/values/numbers.ts"

export const lastRunText = (last: LastRun): string => {
  const run = `${last.run_id} (${last.command})`
  switch (last.state) {
    case "running":
      return `${run}: running since ${instantText(last.started_at)}, process ${last.pid} on ${last.host}`
    case "died":
      return `${run}: did not end; its process ${last.pid} on ${last.host} is gone${last.alive_at === null ? "" : ` (last alive at ${instantText(last.alive_at)})`}. The next sync continues from what it committed.`
    case "ended": {
      const { rows_inserted, rows_revised, requests, seconds } = last
      const end = `${last.outcome ?? ""}, ended ${instantText(last.finished_at ?? "")}`
      if (last.error !== null) return `${run}: ${end}: ${last.error}`
      if (
        rows_inserted === null ||
        rows_revised === null ||
        requests === null ||
        seconds === null
      ) {
        return `${run}: ${end}`
      }
      return `${run}: ${end} (${counted(rows_inserted, "new row")}, ${count(rows_revised)} revised, ${counted(requests, "request")}, ${duration(seconds)})`
    }
  }
}
