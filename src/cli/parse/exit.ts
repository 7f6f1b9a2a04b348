// The exit codes of all commands, and the code of each error.
import { ApiError } from "../../domain/wire/errors.ts"

export const exitCodes = {
  /** Everything landed, or there was nothing new. */
  ok: 0,
  /** The command is valid, but failed: nothing is published, SQL is refused, a disk is full. Also a bug. */
  unexpected: 1,
  /** The command line or the configuration is wrong. */
  usage: 2,
  /** Some tasks failed or were quarantined; the rest landed. Also by `--fail-on partial` and `gaps`. */
  partial: 3,
  /** `verify`, `doctor`, `notify test` or a check of severity `error` failed. Also by `--fail-on checks` and `stale`. */
  checks: 4,
  /** The service requires a longer wait than a run allows (429, `Retry-After`); the next run continues from there. */
  deferred: 5,
  /** Another run holds the warehouse. */
  locked: 75,
  /** Stopped by Ctrl-C or SIGTERM. */
  interrupted: 130,
} as const

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes]

const byTag: Readonly<Record<string, ExitCode>> = {
  ConfigError: exitCodes.usage,
  UsageError: exitCodes.usage,
  OtherSettings: exitCodes.usage,
  WarehouseLocked: exitCodes.locked,
}

/** Whether nothing was sent because an input is invalid or a path is not configured. */
const isUsage = (error: unknown): boolean =>
  error instanceof ApiError &&
  (error.reason._tag === "InvalidInput" || error.reason._tag === "NotConfigured")

export const exitCodeOf = (error: unknown): ExitCode => {
  if (isUsage(error)) return exitCodes.usage
  const tag = typeof error === "object" && error !== null && "_tag" in error ? error._tag : ""
  return byTag[String(tag)] ?? exitCodes.unexpected
}
