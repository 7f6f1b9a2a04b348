// What is changed in a source file, one place at a time: what a programmer who is inattentive for a moment would get wrong.
import { parseAst } from "rolldown/parseAst"

export interface Mutation {
  /** Where the text that is replaced begins and ends. */
  readonly start: number
  readonly end: number
  readonly replacement: string
  /** From 1. */
  readonly line: number
  /** What runs whenever the place does. */
  readonly within: Within
}

/** A statement, from its start, or the whole expression that a function without statements returns. */
export interface Within {
  readonly start: number
  /** Of such an expression. */
  readonly end?: number
  /** It runs when its module is loaded, in no function. */
  readonly isLoading: boolean
}

interface Node {
  readonly type: string
  readonly start: number
  readonly end: number
  readonly [field: string]: unknown
}

type Replacement = Omit<Mutation, "line" | "within">

const isNode = (value: unknown): value is Node =>
  typeof value === "object" && value !== null && "type" in value && "start" in value

const childrenOf = (node: Node): ReadonlyArray<Node> => Object.values(node).flat().filter(isNode)

const operators: Readonly<Record<string, string>> = {
  "<": "<=",
  "<=": "<",
  ">": ">=",
  ">=": ">",
  "===": "!==",
  "!==": "===",
  "+": "-",
  "-": "+",
  "*": "/",
  "/": "*",
  "%": "*",
  "&&": "||",
  "||": "&&",
  "??": "&&",
}

/** Methods and functions by what takes their place; without a name, the call is left out. */
const calls: Readonly<Record<string, string>> = {
  some: "every",
  every: "some",
  min: "max",
  max: "min",
  floor: "ceil",
  ceil: "floor",
  trunc: "round",
  filter: "",
  toSorted: "",
  toReversed: "",
}

/** In SQL, within a string or template. */
const sql: ReadonlyArray<readonly [RegExp, string]> = [
  [/ and /, " or "],
  [/ or /, " and "],
  [/ <= /, " < "],
  [/ >= /, " > "],
  [/ < /, " <= "],
  [/ > /, " >= "],
  [/ = /, " <> "],
  [/ is null/, " is not null"],
  [/ is not null/, " is null"],
  [/\bnot exists\b/, "exists"],
  [/\bleft join\b/, "join"],
  [/\bselect distinct\b/, "select"],
  [/\bmax\(/, "min("],
  [/\bmin\(/, "max("],
  [/ desc\b/, ""],
  [/\bunion all\b/, "union"],
]
const looksLikeSql = /\b(select|where|insert into|delete from|update|having|join)\b/
/** `"Every response: its status, and where it is."` */
const isSentence = /^["`][A-Z][a-z][^]*\.["`]$/

const isText = (node: Node): boolean =>
  node.type === "TemplateLiteral" || (node.type === "Literal" && typeof node["value"] === "string")

const operatorOf = (node: Node, text: string): ReadonlyArray<Replacement> => {
  const { left, right } = node
  const operator = String(node["operator"])
  const other = operators[operator]
  if (other === undefined || !isNode(left) || !isNode(right)) return []
  if (operator === "+" && (isText(left) || isText(right))) return []
  const start = text.indexOf(operator, left.end)
  return [{ start, end: start + operator.length, replacement: other }]
}

const callOf = (node: Node): ReadonlyArray<Replacement> => {
  const { callee } = node
  if (!isNode(callee) || callee.type !== "MemberExpression") return []
  const { object, property } = callee
  if (!isNode(object) || !isNode(property)) return []
  const other = calls[String(property["name"])]
  if (other === undefined) return []
  return other === ""
    ? [{ start: object.end, end: node.end, replacement: "" }]
    : [{ start: property.start, end: property.end, replacement: other }]
}

const sqlOf = (node: Node, text: string): ReadonlyArray<Replacement> => {
  const written = text.slice(node.start, node.end)
  if (!looksLikeSql.test(written) || isSentence.test(written)) return []
  return sql.flatMap(([pattern, replacement]) => {
    const found = pattern.exec(written)
    if (found === null) return []
    const start = node.start + found.index
    return [{ start, end: start + found[0].length, replacement }]
  })
}

const negated = (node: unknown, text: string): ReadonlyArray<Replacement> =>
  isNode(node)
    ? [
        {
          start: node.start,
          end: node.end,
          replacement: `!(${text.slice(node.start, node.end)})`,
        },
      ]
    : []

const replacementsAt = (node: Node, text: string): ReadonlyArray<Replacement> => {
  const { start, end } = node
  switch (node.type) {
    case "BinaryExpression":
    case "LogicalExpression":
      return operatorOf(node, text)
    case "IfStatement":
    case "ConditionalExpression":
      return negated(node["test"], text)
    case "UnaryExpression":
      return node["operator"] === "!" ? [{ start, end: start + 1, replacement: "" }] : []
    case "ExpressionStatement":
      return [{ start, end, replacement: "void 0" }]
    case "CallExpression":
      return callOf(node)
    case "TemplateLiteral":
      return sqlOf(node, text)
    case "Literal": {
      const { value } = node
      // Other numbers are limits and durations, of which one more is as good; StrykerJS leaves all numbers alone.
      if (value === 0 || value === 1) return [{ start, end, replacement: `${value + 1}` }]
      if (typeof value === "boolean") return [{ start, end, replacement: String(!value) }]
      return isText(node) ? sqlOf(node, text) : []
    }
    default:
      return []
  }
}

/** Types do nothing, and a module's path has no value. */
const isLeftOut = ({ type }: Node): boolean =>
  type.startsWith("TS") || /^(Import|Export(All|Named)).*/.test(type)

const isStatements = ({ type }: Node): boolean =>
  type === "Program" || type === "BlockStatement" || type === "StaticBlock"

/** What runs whenever `child` does, where `outer` does whenever `node` does. */
const withinOf = (child: Node, node: Node, outer: Within): Within => {
  if (isStatements(node)) {
    return { start: child.start, isLoading: outer.isLoading && node.type !== "BlockStatement" }
  }
  if (node.type === "ArrowFunctionExpression" && child === node["body"] && !isStatements(child)) {
    return { start: child.start, end: child.end, isLoading: false }
  }
  return outer
}

export const mutationsOf = (text: string): ReadonlyArray<Mutation> => {
  const found: Array<Mutation> = []
  const visit = (node: Node, within: Within): void => {
    // `export const` is an export too; what it declares is looked at.
    const declaration = node["declaration"]
    if (isLeftOut(node)) {
      if (isNode(declaration) && !isLeftOut(declaration)) visit(declaration, within)
      return
    }
    for (const each of replacementsAt(node, text)) {
      found.push({ ...each, line: text.slice(0, each.start).split("\n").length, within })
    }
    for (const child of childrenOf(node)) visit(child, withinOf(child, node, within))
  }
  visit(parseAst(text, { lang: "ts" }) as unknown as Node, { start: 0, isLoading: true })
  return found
}

export const mutated = (text: string, { start, end, replacement }: Mutation): string =>
  text.slice(0, start) + replacement + text.slice(end)
