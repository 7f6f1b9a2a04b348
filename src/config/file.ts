// The configuration file: YAML whose every value knows its line.
import { readFileSync } from "node:fs"
import { isMap, isScalar, isSeq, LineCounter, type Node, parseDocument } from "yaml"
import type { ConfigProblem } from "./ConfigError.ts"
import type { Path } from "./read.ts"

export interface ConfigFile {
  readonly path: string
  /** Top-level keys and their values as plain data. */
  readonly values: Readonly<Record<string, unknown>>
  readonly lineOf: (path: Path) => number
  readonly problems: ReadonlyArray<ConfigProblem>
}

export const defaultFile = "vaulthouse.config.yaml"

/** Throws what the file system says when the file can't be read. */
export const readConfigFile = (path: string): ConfigFile => {
  const lines = new LineCounter()
  const document = parseDocument(readFileSync(path, "utf8"), {
    lineCounter: lines,
    prettyErrors: false,
    // Scalars stay text: an address without quotes is no hexadecimal number. `read` knows what is meant.
    schema: "failsafe",
    customTags: ["null"],
  })
  const lineAt = (offset: number): number => lines.linePos(offset).line

  /** The line of the key, or of the entry of a list; of the nearest thing around it where there is none. */
  const lineOf = (wanted: Path): number => {
    let node: unknown = document.contents
    let offset = startOf(node)
    for (const step of wanted) {
      if (isMap(node)) {
        const pair = node.items.find(
          ({ key }) => isScalar(key) && String(key.value) === String(step),
        )
        if (pair === undefined) break
        offset = startOf(pair.key)
        node = pair.value
      } else if (isSeq(node)) {
        node = node.items[Number(step)]
        offset = startOf(node)
      }
    }
    return lineAt(offset)
  }

  const problems = document.errors.map(({ message, pos }) => ({
    where: path,
    line: lineAt(pos[0]),
    detail: message,
  }))
  const content: unknown = problems.length === 0 ? document.toJS() : {}
  if (content !== null && (typeof content !== "object" || Array.isArray(content))) {
    problems.push({
      where: path,
      line: 1,
      detail: "is not a list of settings, one `name: value` a line",
    })
  }
  const values = problems.length === 0 ? ((content ?? {}) as Record<string, unknown>) : {}
  return { path, values, lineOf, problems }
}

const startOf = (node: unknown): number => (node as Node | null | undefined)?.range?.[0] ?? 0
