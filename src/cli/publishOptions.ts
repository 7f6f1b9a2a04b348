// What the configuration and a command's `--no-publish` say about the readers' copies.
import type { Config } from "../config/Config.ts"
import type { PublishOptions } from "../pipelines/readers/publish.ts"
import type { Arguments } from "./Command.ts"

/** `undefined`: leave them as they are. */
export const publishOptions = (
  argv: Arguments,
  { publish, parquet }: Config["settings"],
): PublishOptions | undefined =>
  publish && argv["publish"] !== false
    ? {
        parquet: parquet.enabled
          ? { compression: parquet.compression, plain: parquet.profile === "compatible" }
          : undefined,
      }
    : undefined
