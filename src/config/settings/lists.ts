// The settings that are lists of records, with the members of each.
import { problemKinds } from "../../domain/run/problem.ts"
import type { Kind } from "./kinds.ts"

/** Which APY series there are. */
export const apySeries = {
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
} as const

/** Inclusive ranges of days. */
export const performanceFeeRanges = {
  kind: {
    type: "list",
    of: {
      type: "record",
      fields: {
        start: { kind: { type: "day" }, describe: "First day" },
        end: { kind: { type: "day" }, describe: "Last day" },
      },
      ascending: ["start", "end"],
    },
  },
  default: [],
} as const

/** Transactions by chain and hash. */
export const revertReasons = {
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
} as const

/** The fields of a receiver that gets messages. */
const messageFields = {
  on: {
    kind: { type: "list", of: { type: "choice", of: problemKinds }, nonEmpty: true },
    default: problemKinds,
    describe: "Only these kinds of problems; all by default",
  },
  remindAfter: {
    kind: { type: "duration" },
    default: undefined,
    describe: "Time after which a lasting problem is repeated; never by default",
  },
} as const

/** An entry of the setting `notify`: a receiver of notifications. */
export const receiver = {
  type: "variant",
  of: {
    webhook: {
      webhook: {
        kind: { type: "secretUrl" },
        describe: "Sends each message to this address, as JSON",
      },
      ...messageFields,
    },
    command: {
      command: {
        kind: {
          type: "list",
          of: { type: "text", example: "/usr/local/bin/page", isSecret: true },
          nonEmpty: true,
        },
        describe: "Runs this program with these arguments, with the JSON on standard input",
      },
      ...messageFields,
    },
    ping: {
      ping: {
        kind: { type: "secretUrl" },
        describe: "Requests this address after every run that ends with exit code 0",
      },
    },
  },
} as const satisfies Kind
