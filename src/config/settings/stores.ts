// Where a run reads and writes: the service, the warehouse, the archive.
import type { Setting } from "./Setting.ts"
import { lake } from "./sections.ts"

export const stores = {
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
      "What the warehouse is stored in: a file of the data directory, or a lake that several machines share",
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
    describe: "Where every response is archived",
    neededBy: "Administrators: responses on cheaper or safer storage than the data directory",
  },
  keepDays: {
    kind: { type: "integer", min: 1, max: 36_500 },
    default: 90,
    describe:
      "Days to keep archived responses and records of tasks, checks and runs that nothing needs; what a row, a gap, quarantine or a mart needs is kept indefinitely, failures for a year",
    neededBy: "Administrators: the disk that years of runs take, or every response for longer",
  },
} as const satisfies Readonly<Record<string, Setting>>
