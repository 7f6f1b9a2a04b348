// Prints `N passed, N failed` from vitest's own JSON report; fails without one, or when a test failed.
import { readFileSync } from "node:fs"

const report = JSON.parse(readFileSync(process.argv[2], "utf8"))
// A file that does not even load has no tests to count, yet has failed.
const broken = report.testResults.filter(
  (file) =>
    file.status === "failed" && file.assertionResults.every((test) => test.status !== "failed"),
)
for (const file of broken) process.stdout.write(`did not load: ${file.name}\n`)
const failed = report.numFailedTests + broken.length
process.stdout.write(`${report.numPassedTests} passed, ${failed} failed\n`)
process.exitCode = failed === 0 && report.success ? 0 : 1
