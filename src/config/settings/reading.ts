// What is read, and how its records are named.
import { contracts } from "../../domain/table/shape.ts"
import { defaultTimeFields } from "../../domain/wire/timeFields.ts"
import type { Setting } from "./Setting.ts"
import { apySeries, performanceFeeRanges, revertReasons } from "./lists.ts"
import { fields, paths, vaults, wire } from "./sections.ts"

const days = { type: "integer", min: 0, max: 3650 } as const

export const reading = {
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
    describe:
      "Days between complete readings of an audit log, which find backdated entries, and between requests for older data of series without points and of short lists of transactions",
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
} as const satisfies Readonly<Record<string, Setting>>
