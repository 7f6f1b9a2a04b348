// Settings read in an empty folder, from what a test gives and nothing else.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { afterEach, beforeEach } from "vitest"
import { type Config, readConfig } from "../../src/config/Config.ts"

export interface Given {
  readonly flags?: Record<string, unknown>
  readonly environment?: Record<string, string>
  readonly file?: string
  readonly fileName?: string
}

let folder = ""

/** Gives each test of a file a folder of its own. */
export const useConfigFolder = (): void => {
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "vaulthouse-config-"))
  })
  afterEach(() => {
    rmSync(folder, { recursive: true })
  })
}

export const configFolder = (): string => folder

const attempt = ({ flags = {}, environment = {}, file, fileName }: Given) => {
  if (file !== undefined) {
    writeFileSync(join(folder, fileName ?? "vaulthouse.config.yaml"), file)
  }
  return Effect.runSync(Effect.result(readConfig({ flags, environment, cwd: folder })))
}

export const config = (given: Given): Config => Result.getOrThrow(attempt(given))

export const complaints = (given: Given): string => {
  const result = attempt(given)
  return Result.isFailure(result) ? result.failure.message : "no complaint"
}
