// What a command prints, logs and counts.
import type { Setting } from "./Setting.ts"

export const output = {
  logFormat: {
    kind: { type: "choice", of: ["pretty", "json"] },
    flag: "log-format",
    default: undefined,
    defaultText: "pretty on a terminal, json otherwise",
    describe: "Format of progress and log lines on standard error",
    neededBy: "Administrators: logs for a collector, or for a person",
  },
  logLevel: {
    kind: { type: "choice", of: ["error", "warn", "info", "debug"] },
    flag: "log-level",
    default: "info",
    describe: "Minimum log level; debug shows every request and adds traces to errors",
    neededBy: "Administrators: find the cause of a failure",
  },
  metricsFile: {
    kind: { type: "path" },
    flag: "metrics-file",
    default: undefined,
    defaultText: "none",
    describe:
      "File to write the metrics to after each run, for the textfile collector of node_exporter (*.prom)",
    neededBy: "Administrators: metrics for Prometheus, where runs are not a server to scrape",
  },
  progress: {
    kind: { type: "boolean" },
    flag: "progress",
    default: true,
    describe: "Show progress",
    neededBy: "Administrators: a terminal that is recorded or slow",
  },
  color: {
    kind: { type: "boolean" },
    flag: "color",
    offVariable: "NO_COLOR",
    onVariable: "FORCE_COLOR",
    default: undefined,
    defaultText: "on a terminal",
    describe: "Use colours (NO_COLOR and FORCE_COLOR apply too)",
    neededBy: "Administrators: a terminal that shows no colours, or a log that should",
  },
} as const satisfies Readonly<Record<string, Setting>>
