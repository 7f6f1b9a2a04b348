// What a text of SQL consists of for whoever looks for names and semicolons in it: quotes and comments, and what is between.

export interface SqlPart {
  readonly text: string
  /** `quoted`: text or a name in quotes. `parameter`: `$name` or `getvariable('name')`. `code`: all else. */
  readonly kind: "code" | "quoted" | "comment" | "parameter"
  /** Of a parameter. */
  readonly name?: string
}

// Without its end a quote goes on to the end of the text: a search from each such beginning for an end that is not there would
// take minutes for a long query.
const PARTS = new RegExp(
  [
    String.raw`(?<quoted>\b[eE]'(?:[^'\\]|\\[\s\S]|'')*(?:'|$)`,
    String.raw`'[^']*(?:''[^']*)*(?:'|$)`,
    String.raw`"[^"]*(?:""[^"]*)*(?:"|$)`,
    String.raw`\$(?<tag>(?:[A-Za-z_]\w*)?)\$[\s\S]*?(?:\$\k<tag>\$|$))`,
    String.raw`(?<comment>--[^\n\r]*|/\*[\s\S]*?(?:\*/|$))`,
    String.raw`\bgetvariable\('(?<variable>\w+)'\)`,
    String.raw`\$(?<parameter>[A-Za-z_]\w*)`,
  ].join("|"),
  "g",
)

/** The parts of the text in their order; together they are the text. */
export function* sqlParts(sql: string): Generator<SqlPart> {
  let end = 0
  for (const { 0: text, index, groups = {} } of sql.matchAll(PARTS)) {
    if (index > end) yield { text: sql.slice(end, index), kind: "code" }
    end = index + text.length
    const name = groups["variable"] ?? groups["parameter"]
    if (name !== undefined) yield { text, kind: "parameter", name }
    else yield { text, kind: groups["comment"] === undefined ? "quoted" : "comment" }
  }
  if (end < sql.length) yield { text: sql.slice(end), kind: "code" }
}
