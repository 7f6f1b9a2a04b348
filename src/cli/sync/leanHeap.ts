// Keeps V8 from growing its young generation. Pages are garbage once they are committed, so a larger one
// saves no work and costs a sixth of a run's peak memory. Takes effect on a running process.
import { setFlagsFromString } from "node:v8"

export const leanHeap = (): void => setFlagsFromString("--semi-space-growth-factor=1")
