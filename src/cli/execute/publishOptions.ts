// What a command publishes.
import type { Config } from "../../config/Config.ts"
import type { PublishOptions } from "../../pipelines/publication/publish.ts"
import type { Arguments } from "../parse/Command.ts"

/** What to publish, by the configuration and `--no-publish`; `undefined` publishes nothing. */
export const publishOptions = (
  argv: Arguments,
  { publish, parquet, publishedMode, publishedKeep }: Config["settings"],
): PublishOptions | undefined =>
  publish.enabled && argv["publish"] !== false
    ? {
        parquet: parquet.enabled ? { marts: parquet.marts } : undefined,
        access: { mode: publishedMode },
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
      }
    : undefined
