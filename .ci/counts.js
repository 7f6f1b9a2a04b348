// Prints `N passed, N failed` from vitest's own JSON reports: of `make test` first, and of targets that run what that leaves out.
// Fails without the first, or when a test failed or was skipped.
import { readFileSync } from "node:fs"
import { relative } from "node:path"

const reports = process.argv.slice(2).map((file) => JSON.parse(readFileSync(file, "utf8")))
const [report, ...others] = reports

// A file that does not even load has no tests to count, yet has failed.
const broken = reports
  .flatMap(({ testResults }) => testResults)
  .filter(
    (file) =>
      file.status === "failed" && file.assertionResults.every((test) => test.status !== "failed"),
  )
for (const file of broken) process.stdout.write(`did not load: ${file.name}\n`)

const impossible = (process.env.IMPOSSIBLE ?? "").split("\n").filter((words) => words !== "")
/** The tests of a report that were skipped, except those of targets of their own and those that .ci/run names. */
const skippedIn = ({ testResults }, elsewhere) =>
  testResults.flatMap(({ name, assertionResults }) => {
    const file = relative(process.cwd(), name)
    if (elsewhere.some((folder) => file.startsWith(folder))) return []
    return assertionResults
      .filter(({ status }) => status !== "passed" && status !== "failed")
      .map(({ fullName }) => `${file} > ${fullName}`)
      .filter((test) => !impossible.some((words) => test.includes(words)))
  })
const skipped = [
  ...skippedIn(report, ["test/browser/", "test/lake/", "test/postgres/"]),
  ...others.flatMap((other) => skippedIn(other, [])),
]
for (const test of skipped) process.stdout.write(`skipped, and .ci/run does not name it: ${test}\n`)

const passed = reports.reduce((sum, { numPassedTests }) => sum + numPassedTests, 0)
const failed =
  reports.reduce((sum, { numFailedTests }) => sum + numFailedTests, 0) +
  broken.length +
  skipped.length
process.stdout.write(`${passed} passed, ${failed} failed\n`)
process.exitCode = failed === 0 && reports.every(({ success }) => success) ? 0 : 1
