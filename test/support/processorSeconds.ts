// How much a process has worked: unlike the time that has passed, it says what it has done on a machine that is busy.
import { readdirSync, readFileSync } from "node:fs"

/** Of all its threads and of the processes it has started, so far, in hundredths. */
export const processorSeconds = (pid = 0): number => {
  const [, after = ""] = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")
  const [user = 0, system = 0] = after.split(" ").slice(11, 13).map(Number)
  return childrenOf(pid).reduce(
    (sum, child) => sum + processorSeconds(child),
    (user + system) / 100,
  )
}

/** A child belongs to the thread that started it. */
const childrenOf = (pid: number): ReadonlyArray<number> =>
  readdirSync(`/proc/${pid}/task`).flatMap((thread) =>
    readFileSync(`/proc/${pid}/task/${thread}/children`, "utf8")
      .trim()
      .split(" ")
      .filter(Boolean)
      .map(Number),
  )
