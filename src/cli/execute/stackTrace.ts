// The stack trace of a failure with the lines of the source: a package has them in the maps beside its bundle, which are
// read for a trace alone.
import { existsSync, readFileSync } from "node:fs"
import { SourceMap, type SourceMapPayload } from "node:module"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import * as Cause from "effect/Cause"

const PLACE = /(file:\/\/[^\s()]+\.js):(\d+):(\d+)/g

export const stackTrace = (cause: Cause.Cause<unknown>): string => {
  const maps = new Map<string, SourceMap | undefined>()
  const mapOf = (file: string): SourceMap | undefined => {
    const map = `${file}.map`
    if (!maps.has(file)) {
      const content = existsSync(map) ? readFileSync(map, "utf8") : undefined
      maps.set(
        file,
        content === undefined ? undefined : new SourceMap(JSON.parse(content) as SourceMapPayload),
      )
    }
    return maps.get(file)
  }
  return Cause.pretty(cause).replaceAll(PLACE, (place: string, url: string, line, column) => {
    const file = fileURLToPath(url)
    // Both count from 1 in a trace, from 0 in a map.
    const origin = mapOf(file)?.findEntry(Number(line) - 1, Number(column) - 1)
    if (origin === undefined || !("originalSource" in origin)) return place
    const source = join(dirname(file), origin.originalSource)
    return `${source}:${origin.originalLine + 1}:${origin.originalColumn + 1}`
  })
}
