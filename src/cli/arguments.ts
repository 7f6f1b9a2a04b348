// What was typed, as the values commands work with.
import * as Result from "effect/Result"
import type { Config } from "../config/Config.ts"
import type { PublishOptions } from "../pipelines/publication/publish.ts"
import type { Arguments } from "./Command.ts"
import { UsageError } from "./errors.ts"

/** A text flag or positional, where it was given. */
export const textOf = (argv: Arguments, name: string): string | undefined => {
  const value = argv[name]
  return typeof value === "string" ? value : undefined
}

/** Every value of a flag that may be repeated. */
export const repeatedOf = (argv: Arguments, name: string): ReadonlyArray<string> => {
  const value = argv[name]
  const values: ReadonlyArray<unknown> = Array.isArray(value) ? value : [value]
  return values.filter((text) => typeof text === "string")
}

/** Every value of a flag or positional that may be repeated; commas separate too. */
export const textsOf = (argv: Arguments, name: string): ReadonlyArray<string> =>
  repeatedOf(argv, name)
    .flatMap((text) => text.split(","))
    .map((text) => text.trim())
    .filter((text) => text !== "")

/** Values given as `--flag name=value`. */
export const pairsOf = (
  argv: Arguments,
  flag: string,
  advice?: string,
): Result.Result<Readonly<Record<string, string>>, UsageError> => {
  const wrong = (why: string) =>
    Result.fail(new UsageError(advice === undefined ? { why } : { why, advice }))
  const pairs: Record<string, string> = {}
  for (const pair of repeatedOf(argv, flag)) {
    const [, name, value = ""] = /^([\w.]+)=(.*)$/s.exec(pair) ?? []
    if (name === undefined) return wrong(`--${flag} ${pair} is not of the form name=value.`)
    if (pairs[name] !== undefined)
      return wrong(`--${flag} ${name} is given twice; write a list as one value with commas.`)
    pairs[name] = value
  }
  return Result.succeed(pairs)
}

/** `--max-rows` of the commands that print lists. */
export const rowLimit = (argv: Arguments): Result.Result<number, UsageError> => {
  const text = textOf(argv, "max-rows") ?? ""
  const limit = Number(text)
  return /^[1-9]\d*$/.test(text) && Number.isSafeInteger(limit)
    ? Result.succeed(limit)
    : Result.fail(
        new UsageError({ why: `--max-rows ${text} is not a whole number of at least 1.` }),
      )
}

/** What the configuration and `--no-publish` say; `undefined` leaves what is published as it is. */
export const publishOptions = (
  argv: Arguments,
  {
    publish,
    parquet,
    publishedMode,
    publishedGroup,
    publishedKeep,
    publishedStorageVersion,
  }: Config["settings"],
): PublishOptions | undefined =>
  publish.enabled && argv["publish"] !== false
    ? {
        parquet: parquet.enabled
          ? {
              compression: parquet.compression,
              plain: parquet.profile === "compatible",
              marts: parquet.marts,
            }
          : undefined,
        access: { mode: publishedMode, group: publishedGroup },
        keep: publishedKeep,
        ...(publish.postgres === undefined
          ? {}
          : {
              postgres: {
                address: publish.postgres,
                prefix: publish.postgresPrefix ?? "",
                role: publish.postgresRole,
              },
            }),
        storageVersion: publishedStorageVersion,
      }
    : undefined
