import { defineConfig } from "vitest/config"

const results = process.env["CI_TEST_RESULTS"]

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // Two cores on the smallest machine; each file may start its own server and DuckDB.
    maxWorkers: 2,
    // .ci/run counts from the JSON report.
    reporters: results === undefined ? ["default"] : ["default", ["json", { outputFile: results }]],
  },
})
