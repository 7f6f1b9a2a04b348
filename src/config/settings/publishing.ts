// What readers get, when runs start, who receives notifications, and how much memory DuckDB may use.
import type { Setting } from "./Setting.ts"
import { receiver } from "./lists.ts"
import { parquet, publish, publishedKeep, report, schedule } from "./sections.ts"

export const publishing = {
  parquet: {
    ...parquet,
    describe: "Which Parquet files to publish",
    neededBy: "BI tools: files for engines that do not read DuckDB, or none to save disk",
  },
  publish: {
    ...publish,
    describe: "Whether a run publishes, and where besides the data directory",
    neededBy: "BI tools: PostgreSQL for tools that read nothing else; runs without a publication",
  },
  publishedMode: {
    kind: { type: "choice", of: ["0600", "0640", "0644"] },
    default: "0600",
    describe:
      "Mode of the published files; their folders follow it, their group is the folder's or the user's",
    neededBy: "Administrators: readers with other users on the same machine",
  },
  publishedKeep: {
    ...publishedKeep,
    describe:
      "How long earlier publications stay (`published/vaulthouse-<run>.duckdb`, `parquet/publications`)",
    neededBy: "Auditors: earlier publications stay, to compare with",
  },
  publishFailedChecks: {
    kind: { type: "boolean" },
    default: true,
    describe: "Publish even if a check of severity `error` failed",
    neededBy:
      "Risk officers: a run that fails a check publishes nothing; the next run without a failure publishes everything",
  },
  failOn: {
    kind: { type: "list", of: { type: "choice", of: ["partial", "stale", "checks", "gaps"] } },
    flag: "fail-on",
    default: [],
    defaultText: "none",
    describe:
      "Also fail a run for problems anywhere in the warehouse: partial, stale, checks, gaps",
    neededBy: "Administrators: a scheduler that must notice more than a failed run",
  },
  schedule: {
    ...schedule,
    describe: "When `vaulthouse schedule` runs each group of pipelines",
    neededBy: "Administrators: when runs start, and how often",
  },
  report: {
    ...report,
    describe: "Report to write after each run that publishes (`vaulthouse report`)",
    neededBy: "Vault operators: a fresh report after each run",
  },
  notify: {
    kind: { type: "list", of: receiver },
    default: [],
    defaultText: "none",
    describe: "Receivers of notifications, when a problem begins and when it is resolved",
    neededBy: "Administrators: learn of a problem before the readers do",
  },
  memoryLimit: {
    kind: { type: "memory" },
    default: "128MB",
    describe: "Memory that DuckDB uses for writing before it spills to disk",
    neededBy: "Administrators: a machine with little memory, or much to write",
  },
  queryMemoryLimit: {
    kind: { type: "memory" },
    default: "1GB",
    describe: "Memory that a query, and `check`, uses before it spills to disk",
    neededBy: "Administrators: readers that share a small machine, or run large queries",
  },
  queryDiskLimit: {
    kind: { type: "memory" },
    default: "4GB",
    describe:
      "Disk that a query of a reader may use: what it spills, or a Parquet file of its result",
    neededBy: "Administrators: readers must not fill the disk",
  },
} as const satisfies Readonly<Record<string, Setting>>
