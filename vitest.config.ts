import { existsSync, statfsSync } from "node:fs"
import { availableParallelism } from "node:os"
import { defineConfig } from "vitest/config"

const results = process.env["CI_TEST_RESULTS"]

// Every commit of every test's database waits for the disk; memory doesn't keep it waiting.
const inMemory = "/dev/shm"
const hasRoom = (): boolean => {
  if (!existsSync(inMemory)) return false
  const { bavail, bsize } = statfsSync(inMemory)
  return bavail * bsize > 2 ** 31
}

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    testTimeout: 120_000,
    hookTimeout: 120_000,
    env: hasRoom() ? { TMPDIR: inMemory } : {},
    // A file at a time in each process: modules are loaded once a process, not once a file.
    isolate: false,
    // One more than there are cores: many tests wait for a response or a process.
    maxWorkers: availableParallelism() + 1,
    // .ci/run counts from the JSON report.
    reporters: results === undefined ? ["default"] : ["default", ["json", { outputFile: results }]],
  },
})
