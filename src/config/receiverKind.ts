// An entry of the setting `notify`: a receiver of notifications.
import { problemKinds } from "../domain/problem.ts"
import type { Kind } from "./kinds.ts"

/** Of a receiver that gets messages. */
const messageFields = {
  on: {
    kind: { type: "list", of: { type: "choice", of: problemKinds }, nonEmpty: true },
    default: problemKinds,
    describe: "Only these kinds of problems; all by default",
  },
  remindAfter: {
    kind: { type: "duration" },
    default: undefined,
    describe: "Repeat a problem that lasts after this time; never by default",
  },
} as const

export const receiverKind = {
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
          of: { type: "text", example: "/usr/local/bin/page" },
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
