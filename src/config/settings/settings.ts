// Every setting: flags, environment names, the configuration file, its JSON Schema and the docs derive from this list.
import type { NeededBy } from "../../domain/neededBy.ts"
import { contracts } from "../../domain/table/shape.ts"
import { defaultTimeFields } from "../../domain/wire/timeFields.ts"
import type { Kind, ValueOf } from "./kinds.ts"
import {
  apySeries,
  fields,
  lake,
  parquet,
  paths,
  performanceFeeRanges,
  publish,
  publishedKeep,
  receiver,
  report,
  revertReasons,
  schedule,
  vaults,
  wire,
} from "./sections.ts"

export interface Setting {
  readonly kind: Kind
  readonly describe: string
  /** In docs/cli.md. */
  readonly neededBy: NeededBy
  /** The flag that sets it; the name of its environment variable derives from the flag. */
  readonly flag?: string
  /** A conventional variable (`NO_COLOR`): any content means `false`. */
  readonly offVariable?: string
  /** One that means `true`, unless it is `0` or `false`; `offVariable` overrides it. */
  readonly onVariable?: string
  /** Settings about the configuration file itself can't be in it. */
  readonly inFile?: false
  readonly default: unknown
  /** The default in words, if the value says little. */
  readonly defaultText?: string
}

const days = { type: "integer", min: 0, max: 3650 } as const

export const settings = {
  baseUrl: {
    kind: { type: "url" },
    flag: "base-url",
    default: undefined,
    defaultText: "none: required to reach the service",
    describe: "Base address of the service",
    neededBy: "Administrators: which service to read",
  },
  config: {
    kind: { type: "path" },
    flag: "config",
    inFile: false,
    default: undefined,
    defaultText: "vaulthouse.config.yaml if present",
    describe: "Configuration file",
    neededBy: "Administrators: several configurations on one machine",
  },
  dataDir: {
    kind: { type: "path" },
    flag: "data-dir",
    default: "./data",
    describe: "Data directory: the warehouse, the published copy, Parquet and the archive",
    neededBy: "Administrators: the disk that holds the data",
  },
  warehouse: {
    kind: { type: "warehouse" },
    flag: "warehouse",
    default: "file",
    describe:
      "What the warehouse is stored in: a `file` of the data directory, or a lake that several machines share (`ducklake:postgres://…`)",
    neededBy: "Administrators: a lake, where several machines write",
  },
  lake: {
    ...lake,
    describe: "A lake's Parquet files, and the extensions that DuckDB needs for it",
    neededBy:
      "Administrators: a lake's files on a disk or in object storage, also without internet",
  },
  workerLease: {
    kind: { type: "duration" },
    default: 60,
    describe:
      "How long a worker of a lake may be silent before its tasks go to others; the same on every machine",
    neededBy: "Administrators: slow machines or networks, where a worker is silent for long",
  },
  archive: {
    kind: { type: "location" },
    default: undefined,
    defaultText: "`raw` of the data directory",
    describe: "Where every response is archived: a folder or `s3://bucket/prefix`",
    neededBy: "Administrators: responses on cheaper or safer storage than the data directory",
  },
  platformSegment: {
    kind: { type: "pathSegment", example: "platform" },
    flag: "platform-segment",
    default: "platform",
    describe: "Word that replaces `platform` in the paths of the real service",
    neededBy: "Administrators: the real service has the platform's name in its paths",
  },
  concurrency: {
    kind: { type: "integer", min: 1, max: 256, none: "adaptive" },
    flag: "concurrency",
    default: undefined,
    defaultText: "adaptive",
    describe: "Requests in flight at once",
    neededBy: "Administrators: a contract with the service that limits requests at once",
  },
  maxRequestsPerSecond: {
    kind: { type: "number", above: 0, none: "none" },
    flag: "max-requests-per-second",
    default: undefined,
    defaultText: "none",
    describe: "Maximum request rate",
    neededBy: "Administrators: a contract with the service that limits the rate",
  },
  requestTimeout: {
    kind: { type: "duration" },
    flag: "request-timeout",
    default: 30,
    describe: "Time limit for one attempt of a request",
    neededBy: "Administrators: a service that is slower than usual",
  },
  retryWait: {
    kind: { type: "duration" },
    default: 60,
    describe:
      "How long a run may wait for nothing but another attempt of failed requests, none of which helps; the next run reads what is then missing",
    neededBy: "Administrators: runs that must end soon although the service is in trouble",
  },
  maxResponseMegabytes: {
    kind: { type: "integer", min: 1, max: 80 },
    default: 64,
    describe: "Largest response to accept, as sent or decompressed",
    neededBy: "Administrators: a machine with little memory, or a platform with very large lists",
  },
  taskTimeout: {
    kind: { type: "duration" },
    flag: "task-timeout",
    default: 600,
    describe:
      "Time limit for one task, including retries but not the time that its requests wait to be sent",
    neededBy: "Administrators: a partition that takes longer than usual to read",
  },
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
  wire: {
    ...wire,
    describe: "Wire names of query parameters",
    neededBy:
      "Administrators: a service that spells parameters in another way than the API document",
  },
  timeFields: {
    kind: { type: "list", of: { type: "text", example: "timestamp" } },
    default: defaultTimeFields,
    describe: "Names of the time field of series points, the most likely first",
    neededBy: "Administrators: a service that calls the time of a point something else",
  },
  fields: {
    ...fields,
    describe:
      "Wire names of columns, and where the records of tables are, for what the API document does not name (`vaulthouse fields`)",
    neededBy: "Administrators: fields and layouts that the API document does not name",
  },
  contracts: {
    kind: {
      type: "map",
      of: { type: "choice", of: contracts },
      keys: "tables such as fees",
    },
    default: {},
    describe:
      "What happens to fields of a table that no column and no setting names: `evolve` keeps them in `extra`, `freeze` fails the table's check and holds publication back, `discard` leaves them out",
    neededBy: "Administrators: a new field must not pass unnoticed, or is not wanted",
  },
  vaults: {
    ...vaults,
    describe: "Which vaults to read",
    neededBy: "Administrators: only some vaults of a platform are of interest",
  },
  pipelines: {
    kind: { type: "list", of: { type: "text", example: "ratio_history" } },
    default: [],
    defaultText: "all",
    describe: "Pipelines that `sync` runs by default",
    neededBy: "Administrators: only some of the data is of interest",
  },
  overlapDays: {
    kind: days,
    default: 2,
    describe: "Days before the newest point that are read again, for late and revised points",
    neededBy: "Administrators: a service that revises points later than after two days",
  },
  apySeries: {
    ...apySeries,
    describe: "APY series to load",
    neededBy: "Analysts: yields over other averaging periods than 7 days",
  },
  auditFullScanDays: {
    kind: days,
    default: 7,
    describe: "Days until an audit log is read completely again, for backdated entries",
    neededBy: "Auditors: entries that the service adds to an audit log with an earlier date",
  },
  paths: {
    ...paths,
    describe: "Paths that the API document does not show; `{address}` is the subaccount",
    neededBy: "Administrators: endpoints that the API document names without a path",
  },
  scenarios: {
    kind: { type: "path" },
    default: undefined,
    defaultText: "none",
    describe: "File (YAML or JSON) with collateral simulations to request in every run",
    neededBy: "Risk officers: what subaccounts would bear if prices fell",
  },
  performanceFeeRanges: {
    ...performanceFeeRanges,
    describe:
      "Date ranges to read performance fees for, in addition to year to date and month to date",
    neededBy: "Vault operators: performance fees of a past quarter or year",
  },
  revertReasons: {
    ...revertReasons,
    describe: "Transactions to read the revert reason of, in addition to the failed ones found",
    neededBy: "Vault operators: why a transaction failed that the service does not list",
  },
  unsupportedRetryDays: {
    kind: days,
    default: 7,
    describe: "Days until data that the service does not offer for a vault is requested again",
    neededBy:
      "Administrators: data that the service begins to offer for a vault should arrive sooner",
  },
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
    neededBy: "Risk officers: no figures rather than figures that failed a check",
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
    describe: "Memory that a query uses before it spills to disk",
    neededBy: "Administrators: readers that share a small machine, or ask large questions",
  },
  queryDiskLimit: {
    kind: { type: "memory" },
    default: "4GB",
    describe:
      "Disk that a query of a reader may use: what it spills, or a Parquet file of its result",
    neededBy: "Administrators: readers must not fill the disk",
  },
} as const satisfies Readonly<Record<string, Setting>>

export type SettingName = keyof typeof settings

type Typed<S> = S extends { readonly kind: infer K extends Kind; readonly default: infer D }
  ? ValueOf<K> | (D extends undefined ? undefined : never)
  : never

/** The values of all settings; durations in seconds. */
export type Settings = { readonly [N in SettingName]: Typed<(typeof settings)[N]> }

export const settingNames = Object.keys(settings) as ReadonlyArray<SettingName>

/** The defaults, with paths as written. */
export const defaultSettings = Object.fromEntries(
  settingNames.map((name) => [name, settings[name].default]),
) as unknown as Settings

export const settingOf = (name: SettingName): Setting => settings[name]

/** `VAULTHOUSE_BASE_URL` for `--base-url`; `undefined` for a setting that only the file can have. */
export const environmentName = ({ flag }: Setting): string | undefined =>
  flag === undefined ? undefined : `VAULTHOUSE_${flag.replaceAll("-", "_").toUpperCase()}`

export const API_KEY = "VAULTHOUSE_API_KEY"
export const API_KEY_FILE = "VAULTHOUSE_API_KEY_FILE"
