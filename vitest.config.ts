import { randomInt } from "node:crypto"
import { existsSync, globSync, statfsSync } from "node:fs"
import { availableParallelism } from "node:os"
import { join } from "node:path"
import { defineConfig } from "vitest/config"
import { BaseSequencer, type TestSpecification } from "vitest/node"
import { home } from "./test/support/home.ts"

const results = process.env["CI_TEST_RESULTS"]

// Of all random choices; a test that fails prints it. In CI a failure is one of the change, not of the draw: new seeds are
// for everybody's own runs and for `make flaky`.
const drawn = process.env["CI"] === undefined ? String(randomInt(2 ** 31)) : "1"
const seed = process.env["TEST_SEED"] ?? drawn
// Of the tests that try a few of very many cases: others each day (`dailyRandomness`).
const day = String(Math.floor(Date.now() / 86_400_000))
const dailySeed = process.env["TEST_SEED"] ?? (process.env["CI"] === undefined ? drawn : day)

// Every commit of every test's database waits for the disk; memory doesn't keep it waiting. Who ends tests gives them a folder
// that can be removed.
const inMemory = process.env["TEST_FOLDER"] ?? "/dev/shm"
const hasRoom = (): boolean => {
  if (!existsSync(inMemory)) return false
  const { bavail, bsize } = statfsSync(inMemory)
  return bavail * bsize > 2 ** 31
}

// Whole runs and their archives, commands, pages, examples, kills, changed answers: two thirds of the time. `make test-long`
// runs them, `make test` the others; in both, the longest begin first.
const long = [
  "serve/server.test.ts",
  "warehouse/examples/examples.test.ts",
  "month/",
  "pipelines/run/",
  "pipelines/retention/restored.test.ts",
  "pipelines/retention/keepInOrder.test.ts",
  "pipelines/backup/",
  "load/crash.test.ts",
  "load/tables/layouts.test.ts",
  "onePoint.test.ts",
  "cli/commands/",
  "cli/contracts.test.ts",
  "serve/report.test.ts",
  "serve/sameResult.test.ts",
  "serve/sending.test.ts",
  "fuzz/",
  "faults/",
  "pipelines/archive/",
  "serve/mcp/mcp.test.ts",
  "load/published/publish.test.ts",
  "load/marts/storedMarts.test.ts",
  "load/published/parquet/parquetMarts.test.ts",
  "cli/lifecycle.test.ts",
  "cli/telemetry/metricsFile.test.ts",
  "pipelines/areas/subaccounts.test.ts",
  "pipelines/areas/transparency/revert_reasons.test.ts",
  "pipelines/defects.test.ts",
  "pipelines/strategies/fillGaps.test.ts",
  "pipelines/strategies/datedSeries.test.ts",
  "pipelines/strategies/completeness.test.ts",
  "pipelines/readers/problems/problems.test.ts",
  "pipelines/readers/latestCopy.test.ts",
  "load/published/read/reader/readers.test.ts",
  "load/published/parquet/exportParquet.test.ts",
  "cli/retrying.test.ts",
  "pipelines/publication/check.test.ts",
  "warehouse/truth.test.ts",
  "warehouse/oddFigures.test.ts",
  "load/storage/file/tornWrites.test.ts",
  "load/published/parquet/parquetFolder.test.ts",
  "cli/json.test.ts",
  "cli/telemetry/otlp.test.ts",
  "serve/unknown.test.ts",
  "serve/pages/trace.test.ts",
]
// Of those folders, what takes a second or two and protects every commit of rows: `make test` runs it.
const short = [
  "archive/commitOrder",
  "archive/endDeadRuns",
  "archive/flushes",
  "archive/repetitions",
  "run/outcomes/Tally",
  "run/outcomes/summary",
  "run/outcomes/unread",
  "run/Runner",
  "run/plan",
  "run/task/landings",
  "run/task/outcome",
  "run/task/queueTask",
  "run/task/reportTask",
]
/** Of names in `test`; a name that nothing has any more must not stay here. */
const filesOf = (names: ReadonlyArray<string>): Array<string> =>
  names.flatMap((name) => {
    const files = globSync(`test/${name}`, { cwd: import.meta.dirname })
    if (files.length === 0) throw new Error(`vitest.config.ts has test/${name}, which is not there`)
    return files
  })
const shortFiles = new Set(filesOf(short.map((each) => `pipelines/${each}.test.ts`)))
const longFiles = filesOf(
  long.map((each) => (each.endsWith("/") ? `${each}**/*.test.ts` : each)),
).filter((file) => !shortFiles.has(file))
const wanted = process.env["TESTS"]

// A long file that begins last keeps one process busy while the others have nothing left. So these begin first, the longest
// before the others, and then folders by how long their files take; those of extract mostly wait.
const slowFirst = [...long, "extract/", "pipelines/", "serve/", "warehouse/", "cli/", "load/"]
const rankOf = ({ moduleId }: TestSpecification): number => {
  const rank = slowFirst.findIndex((start) => moduleId.includes(`/test/${start}`))
  return rank < 0 ? slowFirst.length : rank
}
class SlowFirst extends BaseSequencer {
  override async sort(files: Array<TestSpecification>): Promise<Array<TestSpecification>> {
    // oxlint-disable-next-line unicorn/no-array-sort -- the method of the sequencer
    return (await super.sort(files)).toSorted((one, other) => rankOf(one) - rankOf(other))
  }
}

export default defineConfig({
  test: {
    include: wanted === "long" ? longFiles : ["test/**/*.test.ts"],
    exclude: [
      // `make attack` runs those, which keep a core busy on purpose.
      ...(process.env["ATTACK"] === "1" ? [] : ["test/attack/**"]),
      ...(wanted === "short" ? longFiles : []),
    ],
    globalSetup: "test/support/servers/servers.ts",
    setupFiles: "test/support/randomness.ts",
    // For what hangs alone: a machine with twenty times as much to do must pass.
    testTimeout: 1_800_000,
    hookTimeout: 1_800_000,
    expect: { poll: { timeout: 600_000 } },
    env: {
      HOME: home,
      TEST_SEED: seed,
      DAILY_SEED: dailySeed,
      ...(hasRoom() ? { TMPDIR: inMemory } : {}),
      // Processes that tests start load their modules in half the time.
      NODE_COMPILE_CACHE: join(import.meta.dirname, "node_modules/.cache/compiled"),
    },
    // A file at a time in each process: modules are loaded once a process, not once a file.
    isolate: false,
    sequence: { sequencer: SlowFirst },
    // Two more than there are cores: many tests wait for a response or a process.
    maxWorkers: availableParallelism() + 2,
    // .ci/run counts from the JSON report.
    reporters: results === undefined ? ["default"] : ["default", ["json", { outputFile: results }]],
  },
})
