// Tries what it is sent, in a thread that may be ended and has a limit of memory.
import { parentPort } from "node:worker_threads"
import { type Recorded, tried, type Tried } from "./tried.ts"

export interface Task {
  readonly recorded: Recorded
  readonly body: string
}

const answered = ({ recorded, body }: Task): Tried => {
  try {
    return tried(recorded, body)
  } catch (cause) {
    return { outcome: "refused", rows: 0, problems: [String(cause)] }
  }
}

parentPort?.on("message", (task: Task) => parentPort?.postMessage(answered(task), []))
