// Files of settings: YAML (so JSON too) whose every value knows its line.
import { readFileSync } from "node:fs"
import { isMap, isScalar, isSeq, LineCounter, type Node, parseDocument } from "yaml"
import type { ConfigProblem } from "./ConfigError.ts"
import type { Path } from "./read.ts"

export interface YamlFile {
  readonly path: string
  /** Plain data, every scalar as text; `null` where there is nothing, or a problem. */
  readonly content: unknown
  readonly lineOf: (path: Path) => number
  readonly problems: ReadonlyArray<ConfigProblem>
}

export interface ConfigFile extends Omit<YamlFile, "content"> {
  /** Top-level keys and their values as plain data. */
  readonly values: Readonly<Record<string, unknown>>
}

export const defaultFile = "vaulthouse.config.yaml"

/** Throws what the file system says when the file can't be read. */
export const readConfigFile = (path: string): ConfigFile => {
  const { content, problems, ...file } = readYamlFile(path)
  if (content === null || (typeof content === "object" && !Array.isArray(content))) {
    return { ...file, problems, values: (content ?? {}) as Record<string, unknown> }
  }
  const detail = "is not a list of settings, one `name: value` a line"
  return { ...file, problems: [...problems, { where: path, line: 1, detail }], values: {} }
}

/** Throws what the file system says when the file can't be read. */
export const readYamlFile = (path: string): YamlFile => {
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
  const content: unknown = problems.length === 0 ? document.toJS() : null
  return { path, content, lineOf, problems }
}

const startOf = (node: unknown): number => (node as Node | null | undefined)?.range?.[0] ?? 0
