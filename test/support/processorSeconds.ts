// How much a process has worked: unlike the time that has passed, it says what it has done on a machine that is busy.
import { readFileSync } from "node:fs"

/** Of all its threads so far, in hundredths. */
export const processorSeconds = (pid = 0): number => {
  const [, after = ""] = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")
  const [user = 0, system = 0] = after.split(" ").slice(11, 13).map(Number)
  return (user + system) / 100
}
