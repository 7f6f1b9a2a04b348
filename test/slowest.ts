// A reporter that lists the slowest files and tests: make test ARGS=--reporter=./test/slowest.ts
import { relative } from "node:path"
import type { Reporter, TestModule } from "vitest/node"

const SHOWN = 20

const print = (title: string, durations: ReadonlyArray<readonly [number, string]>): void => {
  process.stdout.write(`\n${title}:\n`)
  for (const [millis, name] of durations.toSorted(([a], [b]) => b - a).slice(0, SHOWN)) {
    process.stdout.write(`${(millis / 1000).toFixed(1).padStart(6)} s  ${name}\n`)
  }
}

// oxlint-disable-next-line import/no-default-export -- vitest takes the default export
export default class implements Reporter {
  onTestRunEnd(modules: ReadonlyArray<TestModule>): void {
    const names = new Map(modules.map((each) => [each, relative("test", each.moduleId)]))
    const tests = modules.flatMap((each) => [...each.children.allTests()])
    print(
      "Slowest files",
      modules.map((each) => {
        const { collectDuration, duration } = each.diagnostic()
        return [collectDuration + duration, names.get(each) ?? ""]
      }),
    )
    print(
      "Slowest tests",
      tests.map((test) => [
        test.diagnostic()?.duration ?? 0,
        `${names.get(test.module)} > ${test.fullName}`,
      ]),
    )
  }
}
