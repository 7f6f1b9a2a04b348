// The Grafana dashboard and the alert rules use metrics and labels that docs/monitoring.md lists; test/cli/commands/schedule/schedule.test.ts
// compares that list with what is exported. `make test-deploy` loads both into Prometheus.
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { parse } from "yaml"
import { defaultSettings } from "../src/config/settings/settings.ts"
import { type ProblemKind, problemKinds } from "../src/domain/run/problem.ts"

const read = (file: string): string => readFileSync(join(import.meta.dirname, "..", file), "utf8")

const documented = new Map(
  [...read("docs/monitoring.md").matchAll(/^\| `(vaulthouse_\w+)` \|([^|]*)\|/gm)].map(
    ([, name = "", labels = ""]) => [
      name,
      new Set([...labels.matchAll(/`(\w+)`/g)].map(([, label]) => label)),
    ],
  ),
)

interface Dashboard {
  readonly panels: ReadonlyArray<{
    readonly title: string
    readonly targets: ReadonlyArray<{ readonly expr: string; readonly legendFormat?: string }>
  }>
}

interface Rules {
  readonly groups: ReadonlyArray<{
    readonly rules: ReadonlyArray<{
      readonly alert: string
      readonly expr: string
      readonly annotations: Readonly<Record<string, string>>
    }>
  }>
}

const panels = (JSON.parse(read("deploy/grafana/vaulthouse.json")) as Dashboard).panels
const rules = (parse(read("deploy/prometheus/alerts.yml")) as Rules).groups.flatMap(
  (group) => group.rules,
)

/** Each expression, and the texts that show its labels. */
const uses = [
  ...panels.flatMap(({ title, targets }) =>
    targets.map(({ expr, legendFormat = "" }) => ({ name: title, expr, text: legendFormat })),
  ),
  ...rules.map(({ alert, expr, annotations }) => ({
    name: alert,
    expr,
    text: Object.values(annotations).join(" "),
  })),
]

// Prometheus itself adds them.
const ofTarget = ["instance", "job"]

describe("deploy", () => {
  it.each(uses)("$name: $expr", ({ expr, text }) => {
    const metrics = [...expr.matchAll(/\b(vaulthouse_\w+)(?:\{([^}]*)\})?/g)]
    expect(metrics.length).toBeGreaterThan(0)
    const known = new Set<string | undefined>(ofTarget)
    for (const [, name = "", matchers = ""] of metrics) {
      const labels = documented.get(name)
      expect(labels, name).toBeDefined()
      for (const label of labels ?? []) known.add(label)
      for (const [, label = ""] of matchers.matchAll(/(\w+)\s*=~?/g)) {
        expect([...ofTarget, ...(labels ?? [])], `{${label}} of ${name}`).toContain(label)
      }
      const kind = /kind="(\w+)"/.exec(matchers)?.[1]
      if (kind !== undefined) expect(problemKinds).toContain(kind)
    }
    const grouped = [...expr.matchAll(/\bby \(([^)]*)\)/g)].flatMap(([, labels = ""]) =>
      labels.split(", "),
    )
    const shown = [...text.matchAll(/\{\{\s*(?:\$labels\.)?(?!end\b)(\w+)\s*\}\}/g)].map(
      ([, label]) => label,
    )
    expect([...known]).toEqual(expect.arrayContaining([...grouped, ...shown]))
  })

  it("each kind of problem has an alert rule, or a reason why it has none", () => {
    // A metric of its own says more than the number of problems.
    const byMetric: Partial<Record<ProblemKind, string>> = {
      run_partial: "VaulthouseNoCompleteRun",
      stale: "VaulthouseStale",
      quarantine: "VaulthouseQuarantine",
      gap: "VaulthouseOpenGaps",
    }
    const withoutRule: Partial<Record<ProblemKind, string>> = {
      clock_ahead: "a run fails before the difference does harm",
      clock_behind: "a run fails before the difference does harm",
      run_deferred: "the next run reads it, and VaulthouseStale fires if none does",
      permanent_gap: "nothing can be done about it",
    }
    const names = rules.map(({ alert }) => alert)
    expect(names).toEqual(expect.arrayContaining(Object.values(byMetric)))
    const ofKinds = rules.flatMap(({ expr }) =>
      [...expr.matchAll(/kind="(\w+)"/g)].map(([, kind = ""]) => kind),
    )
    expect([...ofKinds, ...Object.keys(byMetric), ...Object.keys(withoutRule)].toSorted()).toEqual(
      problemKinds.toSorted(),
    )
  })

  it("the dashboard shows every metric", () => {
    const shown = panels.map(({ targets }) => targets.map(({ expr }) => expr).join()).join()
    const missing = [...documented.keys()].filter((name) => !shown.includes(name))
    expect(missing).toEqual(["vaulthouse_newest_fact_timestamp_seconds"])
  })
})

describe("the health check", () => {
  const { services } = parse(read("deploy/docker/compose.yaml")) as {
    readonly services: Readonly<
      Record<string, { readonly healthcheck?: { readonly test: ReadonlyArray<string> } }>
    >
  }
  const image = read("deploy/docker/Dockerfile")

  it("is of the scheduler, and not of all that the image may run", () => {
    const [, port = "none"] =
      /^CMD \["schedule", "--listen", "0\.0\.0\.0:(\d+)"\]$/m.exec(image) ?? []
    expect(image).not.toMatch(/^HEALTHCHECK/m)
    expect(services["vaulthouse"]?.healthcheck?.test.at(-1)).toContain(
      `fetch('http://127.0.0.1:${port}/healthz')`,
    )
  })
})

it.each(["schedule", "sync"])(
  "%s.yaml has more room for what spills than a query may use",
  (name) => {
    const [, gibibytes] =
      /emptyDir:\s+sizeLimit: (\d+)Gi$/m.exec(read(`deploy/kubernetes/${name}.yaml`)) ?? []
    const [, gigabytes] = /^(\d+)GB$/.exec(defaultSettings.queryDiskLimit) ?? []
    expect(Number(gibibytes) * 2 ** 30).toBeGreaterThan(Number(gigabytes) * 1e9)
  },
)
