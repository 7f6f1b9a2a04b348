// Every setting of vaulthouse, each written once: flags, environment names, the configuration file,
// its JSON Schema and the printed table derive from this list.
import { defaultTimeFields } from "../domain/timeFields.ts"
import type { Kind, ValueOf } from "./kinds.ts"

export interface Setting {
  readonly kind: Kind
  readonly describe: string
  /** Where it can be set besides the configuration file; the environment name derives from it. */
  readonly flag?: string
  /** A variable by convention, any content of which means `false`. */
  readonly offVariable?: string
  /** And one that means `true`, unless it is `0` or `false`; `offVariable` wins over it. */
  readonly onVariable?: string
  /** Settings about the configuration file itself can't stand in it. */
  readonly inFile?: false
  readonly default: unknown
  /** The default in words, where the value says little. */
  readonly defaultText?: string
}

const days = { type: "integer", min: 0, max: 3650 } as const

const pathField = (what: string) =>
  ({
    kind: { type: "text", example: "/subaccount/{address}/…" },
    default: undefined,
    describe: `Path of ${what}`,
  }) as const

export const settings = {
  baseUrl: {
    kind: { type: "url" },
    flag: "base-url",
    default: undefined,
    defaultText: "none: required to reach the service",
    describe: "Base address of the service",
  },
  config: {
    kind: { type: "path" },
    flag: "config",
    inFile: false,
    default: undefined,
    defaultText: "vaulthouse.config.yaml if present",
    describe: "Configuration file",
  },
  dataDir: {
    kind: { type: "path" },
    flag: "data-dir",
    default: "./data",
    describe: "Folder of the warehouse, the published copy, Parquet, archive and logs",
  },
  platformSegment: {
    kind: { type: "text", example: "platform" },
    flag: "platform-segment",
    default: "platform",
    describe: "The word in /platform/… paths (a brand word in the real service)",
  },
  concurrency: {
    kind: { type: "integer", min: 1, max: 256, none: "adaptive" },
    flag: "concurrency",
    default: undefined,
    defaultText: "adaptive",
    describe: "Requests under way at once",
  },
  maxRequestsPerSecond: {
    kind: { type: "number", above: 0, none: "none" },
    flag: "max-requests-per-second",
    default: undefined,
    defaultText: "none",
    describe: "Upper bound of the request rate",
  },
  requestTimeout: {
    kind: { type: "duration" },
    flag: "request-timeout",
    default: 30,
    describe: "Time for one attempt of a request",
  },
  taskTimeout: {
    kind: { type: "duration" },
    flag: "task-timeout",
    default: 600,
    describe: "Time for one task, retries included, waiting for its turn not",
  },
  logFormat: {
    kind: { type: "choice", of: ["pretty", "json"] },
    flag: "log-format",
    default: undefined,
    defaultText: "pretty on a terminal, json otherwise",
    describe: "How progress and log lines are written to standard error",
  },
  logLevel: {
    kind: { type: "choice", of: ["error", "warn", "info", "debug"] },
    flag: "log-level",
    default: "info",
    describe: "Least severe log lines shown; debug adds traces to errors",
  },
  progress: {
    kind: { type: "boolean" },
    flag: "progress",
    default: true,
    describe: "Show progress",
  },
  color: {
    kind: { type: "boolean" },
    flag: "color",
    offVariable: "NO_COLOR",
    onVariable: "FORCE_COLOR",
    default: undefined,
    defaultText: "on a terminal",
    describe: "Use colours (NO_COLOR and FORCE_COLOR count too)",
  },
  wire: {
    kind: {
      type: "record",
      fields: {
        case: {
          kind: { type: "choice", of: ["camel", "snake"] },
          default: "camel",
          describe: "Spelling of query names the API document does not show",
        },
        names: {
          kind: {
            type: "map",
            of: { type: "text", example: "vault_address" },
            keys: "client-side names (or endpoint.name)",
          },
          default: {},
          describe: "Single query names that are spelled otherwise",
        },
      },
    },
    default: { case: "camel", names: {} },
    describe: "How query names are spelled on the wire",
  },
  timeFields: {
    kind: { type: "list", of: { type: "text", example: "timestamp" } },
    default: defaultTimeFields,
    describe: "Names under which points may carry their time, the likeliest first",
  },
  vaults: {
    kind: {
      type: "record",
      fields: {
        include: {
          kind: { type: "list", of: { type: "address" } },
          default: [],
          describe: "Only these vaults; all when empty",
        },
        exclude: {
          kind: { type: "list", of: { type: "address" } },
          default: [],
          describe: "None of these vaults",
        },
      },
    },
    default: { include: [], exclude: [] },
    describe: "Which vaults to read",
  },
  pipelines: {
    kind: { type: "list", of: { type: "text", example: "ratio_history" } },
    default: [],
    defaultText: "all",
    describe: "Pipelines that `sync` runs when none is named",
  },
  overlapDays: {
    kind: days,
    default: 2,
    describe:
      "Days before the newest stored point that are read again, for late and revised points",
  },
  apySeries: {
    kind: {
      type: "list",
      of: {
        type: "record",
        fields: {
          smoothing: { kind: { type: "boolean" }, describe: "The service's smoothing filter" },
          averagingPeriodDays: {
            kind: { type: "integer", min: 2, max: 365 },
            default: 7,
            describe: "Averaging window in days",
          },
        },
      },
    },
    default: [
      { smoothing: true, averagingPeriodDays: 7 },
      { smoothing: false, averagingPeriodDays: 7 },
    ],
    describe: "APY series to keep side by side",
  },
  auditFullScanDays: {
    kind: days,
    default: 7,
    describe: "Days until an audit log is read whole again, for entries dated back",
  },
  paths: {
    kind: {
      type: "record",
      fields: {
        cefiPositions: pathField("CeFi positions of a subaccount"),
        subaccountLoans: pathField("loans of a subaccount"),
        subaccountOtcPositions: pathField("OTC positions of a subaccount"),
        keyVerification: pathField("the check of an API key"),
      },
    },
    default: {},
    describe: "Paths the API document does not show; `{address}` is the subaccount",
  },
  scenarios: {
    kind: { type: "path" },
    default: undefined,
    defaultText: "none",
    describe: "File (YAML or JSON) with collateral simulations to ask for with every run",
  },
  performanceFeeRanges: {
    kind: {
      type: "list",
      of: {
        type: "record",
        fields: {
          start: { kind: { type: "day" }, describe: "First day" },
          end: { kind: { type: "day" }, describe: "Last day" },
        },
      },
    },
    default: [],
    describe: "Ranges to ask performance fees for, beside the year and the month to date",
  },
  revertReasons: {
    kind: {
      type: "list",
      of: {
        type: "record",
        fields: {
          chainId: {
            kind: { type: "integer", min: 0, max: Number.MAX_SAFE_INTEGER },
            describe: "Platform chain id",
          },
          transactionHash: { kind: { type: "text", example: "0x…" }, describe: "Transaction" },
        },
      },
    },
    default: [],
    describe: "Transactions to ask the revert reason of, beside the failed ones found",
  },
  unsupportedRetryDays: {
    kind: days,
    default: 7,
    describe: "Days until something the service does not offer for a vault is asked again",
  },
  parquet: {
    kind: {
      type: "record",
      fields: {
        enabled: {
          kind: { type: "boolean" },
          default: true,
          describe:
            "Export the tables as Parquet when publishing; `false` removes what was exported",
        },
        compression: {
          kind: { type: "choice", of: ["zstd", "snappy"] },
          default: "zstd",
          describe: "Compression of the Parquet files",
        },
        profile: {
          kind: { type: "choice", of: ["standard", "compatible"] },
          default: "standard",
          describe: "`compatible`: for old readers (snappy, instants as ISO text)",
        },
      },
    },
    default: { enabled: true, compression: "zstd", profile: "standard" },
    describe: "How Parquet files are written",
  },
  publish: {
    kind: { type: "boolean" },
    default: true,
    describe: "Make the readers' copies after a run that found news",
  },
  memoryLimit: {
    kind: { type: "memory" },
    default: "128MB",
    describe: "Memory DuckDB may use before it spills to disk",
  },
} as const satisfies Readonly<Record<string, Setting>>

export type SettingName = keyof typeof settings

type Typed<S> = S extends { readonly kind: infer K extends Kind; readonly default: infer D }
  ? ValueOf<K> | (D extends undefined ? undefined : never)
  : never

/** The values of all settings; durations in seconds. */
export type Settings = { readonly [N in SettingName]: Typed<(typeof settings)[N]> }

export const settingNames = Object.keys(settings) as ReadonlyArray<SettingName>

/** What holds where nobody says otherwise; paths as they are written. */
export const defaultSettings = Object.fromEntries(
  settingNames.map((name) => [name, settings[name].default]),
) as unknown as Settings

export const settingOf = (name: SettingName): Setting => settings[name]

/** `VAULTHOUSE_BASE_URL` for `--base-url`; `undefined` for what stands in the file alone. */
export const environmentName = ({ flag }: Setting): string | undefined =>
  flag === undefined ? undefined : `VAULTHOUSE_${flag.replaceAll("-", "_").toUpperCase()}`

export const API_KEY = "VAULTHOUSE_API_KEY"
export const API_KEY_FILE = "VAULTHOUSE_API_KEY_FILE"
