// Files of settings: YAML (so JSON too), with the line of every value.
import { readFileSync } from "node:fs"
import { createRequire } from "node:module"
import type * as Yaml from "yaml"
import type { ConfigProblem } from "./ConfigError.ts"
import type { Path } from "./read.ts"

// Loaded with the first file, so that commands without one start faster.
const require = createRequire(import.meta.url)

export interface YamlFile {
  readonly path: string
  /** Plain data, every scalar as text; `null` where the file is empty or has a problem. */
  readonly content: unknown
  readonly lineOf: (path: Path) => number
  readonly problems: ReadonlyArray<ConfigProblem>
}

export interface ConfigFile extends Omit<YamlFile, "content"> {
  /** Top-level keys and their values as plain data. */
  readonly values: Readonly<Record<string, unknown>>
}

export const defaultFile = "vaulthouse.config.yaml"

/** Throws the file system's error when the file can't be read. */
export const readConfigFile = (path: string): ConfigFile => {
  const { content, problems, ...file } = readYamlFile(path)
  if (content === null || (typeof content === "object" && !Array.isArray(content))) {
    return { ...file, problems, values: (content ?? {}) as Record<string, unknown> }
  }
  const detail = "the file is not a list of settings, written as `name: value`"
  return { ...file, problems: [...problems, { where: path, line: 1, detail }], values: {} }
}

/** Throws the file system's error when the file can't be read. */
export const readYamlFile = (path: string): YamlFile => {
  const text = readFileSync(path, "utf8")
  const { isMap, isScalar, isSeq, LineCounter, parseDocument } = require("yaml") as typeof Yaml
  const lines = new LineCounter()
  const document = parseDocument(text, {
    lineCounter: lines,
    prettyErrors: false,
    // Scalars stay text: an address without quotes is not a hexadecimal number. `read` gives them their type.
    schema: "failsafe",
    customTags: ["null"],
  })
  const lineAt = (offset: number): number => lines.linePos(offset).line

  /** The line of the key or list entry, or of the nearest thing around it. */
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

const startOf = (node: unknown): number => (node as Yaml.Node | null | undefined)?.range?.[0] ?? 0
