// The readers' copies: marts first, then the published database, then Parquet.
import * as Effect from "effect/Effect"
import type { LoadError } from "../load/errors.ts"
import { Warehouse } from "../load/Warehouse.ts"
import type { OnProgress } from "./progress.ts"

export interface PublishOptions {
  readonly compression: "zstd" | "snappy"
}

export const publishReaders = (
  _options: PublishOptions,
  _onProgress: OnProgress,
): Effect.Effect<boolean, LoadError, Warehouse> => Effect.as(Warehouse, false)
