import { availableParallelism } from "node:os"
import { defineConfig } from "vitest/config"

const results = process.env["CI_TEST_RESULTS"]

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // Each file may start its own server and DuckDB, so one per core keeps timeouts honest.
    maxWorkers: availableParallelism(),
    // .ci/run counts from the JSON report.
    reporters: results === undefined ? ["default"] : ["default", ["json", { outputFile: results }]],
  },
})
