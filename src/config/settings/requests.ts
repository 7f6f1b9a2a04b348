// How requests are sent.
import type { Setting } from "./Setting.ts"

export const requests = {
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
      "How long a run waits while all that is left are retries of failed requests, none of which succeeds; the next run reads what is then missing",
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
} as const satisfies Readonly<Record<string, Setting>>
