// Reads files of settings in YAML (and so JSON), with the place of every value.
import { readFileSync } from "node:fs"
import { createRequire } from "node:module"
import type * as Yaml from "yaml"
import type { ConfigProblem, Place } from "../ConfigError.ts"
import type { Problem } from "./read.ts"
import { yamlProblems } from "./yamlProblems.ts"

// Loads the YAML parser with the first file, so that commands without one start faster.
const require = createRequire(import.meta.url)

export interface YamlFile {
  /** The path as messages show it. */
  readonly path: string
  /** Plain data, every scalar as text; `null` if the file is empty or has a problem. */
  readonly content: unknown
  readonly placeOf: (problem: Pick<Problem, "path" | "isName">) => Required<Place>
  readonly problems: ReadonlyArray<ConfigProblem>
}

export interface ConfigFile extends Omit<YamlFile, "content"> {
  /** Top-level keys and their values as plain data. */
  readonly values: Readonly<Record<string, unknown>>
}

/** Scalars stay text: an address without quotes is not a hexadecimal number. `read` gives them their type. */
export const asText = { schema: "failsafe", customTags: ["null"] } satisfies Yaml.ParseOptions &
  Yaml.DocumentOptions &
  Yaml.SchemaOptions

export const defaultFile = "vaulthouse.config.yaml"

/** Throws the file system's error if the file can't be read. Messages show its path as `shown`. */
export const readConfigFile = (path: string, shown: string): ConfigFile => {
  const { content, problems, ...file } = readYamlFile(path, shown)
  if (content === null || (typeof content === "object" && !Array.isArray(content))) {
    return { ...file, problems, values: (content ?? {}) as Record<string, unknown> }
  }
  const detail = "expected settings, one `name: value` per line, with a space after the colon"
  const place = { where: shown, line: 1, column: 1 }
  return { ...file, problems: [...problems, { ...place, detail }], values: {} }
}

/** Throws the file system's error if the file can't be read. */
export const readYamlFile = (path: string, shown = path): YamlFile => {
  const text = readFileSync(path, "utf8")
  const yaml = require("yaml") as typeof Yaml
  const { isMap, isScalar, isSeq, LineCounter, parseDocument } = yaml
  const lines = new LineCounter()
  const document = parseDocument(text, {
    lineCounter: lines,
    prettyErrors: false,
    ...asText,
  })
  const placeAt = (offset: number): Required<Place> => {
    const { line, col } = lines.linePos(offset)
    return { where: shown, line, column: col }
  }

  /** The place of the value or its name, or of the nearest node around it. */
  const placeOf = ({ path: wanted, isName }: Pick<Problem, "path" | "isName">): Required<Place> => {
    let node: unknown = document.contents
    let offset = startOf(node) ?? 0
    for (const [index, step] of wanted.entries()) {
      if (isMap(node)) {
        const pair = node.items.find(
          ({ key }) => isScalar(key) && String(key.value) === String(step),
        )
        if (pair === undefined) break
        const isLast = index === wanted.length - 1
        node = pair.value
        offset = (isLast && isName === true ? undefined : startOf(node)) ?? startOf(pair.key) ?? 0
      } else if (isSeq(node)) {
        node = node.items[Number(step)]
        offset = startOf(node) ?? offset
      }
    }
    return placeAt(offset)
  }

  const problems = yamlProblems(yaml, document, text).map(({ offset, detail }) => ({
    ...placeAt(offset),
    detail,
  }))
  const content: unknown = problems.length === 0 ? document.toJS() : null
  return { path: shown, content, placeOf, problems }
}

const startOf = (node: unknown): number | undefined =>
  (node as Yaml.Node | null | undefined)?.range?.[0]
