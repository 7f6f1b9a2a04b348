// How much a process has worked: unlike the time that has passed, it says what it has done on a machine that is busy.
import { existsSync, readdirSync, readFileSync } from "node:fs"

/** Of all its threads and of the processes it has started, so far, in hundredths; 0 once it has ended. */
export const processorSeconds = (pid = 0): number => {
  const [, after = ""] = readOfProcess(`/proc/${pid}/stat`).split(") ")
  const [user = 0, system = 0] = after.split(" ").slice(11, 13).map(Number)
  return childrenOf(pid).reduce(
    (sum, child) => sum + processorSeconds(child),
    (user + system) / 100,
  )
}

/** A child belongs to the thread that started it. */
const childrenOf = (pid: number): ReadonlyArray<number> =>
  threadsOf(pid).flatMap((thread) =>
    readOfProcess(`/proc/${pid}/task/${thread}/children`)
      .trim()
      .split(" ")
      .filter(Boolean)
      .map(Number),
  )

const threadsOf = (pid: number): ReadonlyArray<string> => {
  try {
    return readdirSync(`/proc/${pid}/task`)
  } catch (cause) {
    if (existsSync(`/proc/${pid}/task`)) throw cause
    return []
  }
}

/** Empty if the process or the thread has ended, as it may at any moment. */
const readOfProcess = (file: string): string => {
  try {
    return readFileSync(file, "utf8")
  } catch (cause) {
    if (existsSync(file)) throw cause
    return ""
  }
}
