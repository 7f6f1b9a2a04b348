// What a text of SQL consists of for whoever looks for names and semicolons in it: quotes and comments, and what is between,
// as DuckDB's scanner sees them.

export interface SqlPart {
  readonly text: string
  /**
   * `quoted`: text or a name in quotes. `parameter`: `$name`. `variable`: `getvariable('name')` in any case and spacing. `code`: all
   * else.
   */
  readonly kind: "code" | "quoted" | "comment" | "parameter" | "variable"
  /** Of a parameter or a variable. */
  readonly name?: string
}

// To DuckDB, all that is not ASCII is a letter, except for spaces.
const NOT_ASCII = String.raw`[^\s\0-\x7f]`
const LETTER = `[A-Za-z_${NOT_ASCII}]`
const NAME = String.raw`${LETTER}[\w${NOT_ASCII}]*`

// Two texts in quotes with a line break between them are one, comments at the ends of the lines included.
const CONTINUED = String.raw`'[^\S\n\r]*(?:--[^\n\r]*)?[\n\r](?:\s|--[^\n\r]*[\n\r])*'`

// Without its end a quote goes on to the end of the text: a search from each such beginning for an end that is not there would
// take minutes for a long query.
const PARTS = new RegExp(
  [
    String.raw`(?<quoted>[eE]'(?:[^'\\]|\\[\s\S]|''|${CONTINUED})*(?:'|$)`,
    String.raw`'[^']*(?:''[^']*)*(?:'|$)`,
    String.raw`"[^"]*(?:""[^"]*)*(?:"|$)`,
    String.raw`\$(?<tag>(?:${NAME})?)\$[\s\S]*?(?:\$\k<tag>\$|$))`,
    String.raw`(?<comment>--[^\n\r]*|/\*)`,
    String.raw`(?i:getvariable)\s*\(\s*'(?<variable>[\w${NOT_ASCII}]+)'\s*\)`,
    String.raw`\$(?<parameter>\d+|${NAME})`,
    // A word of the code, in which neither e' nor $ begins anything.
    String.raw`${LETTER}[\w$${NOT_ASCII}]*`,
  ].join("|"),
  "gv",
)

/** Where the comment that begins there with `/*` ends: comments nest. */
const endOfComment = (sql: string, start: number): number => {
  const borders = /\/\*|\*\//g
  borders.lastIndex = start
  let depth = 0
  do {
    const border = borders.exec(sql)
    if (border === null) return sql.length
    depth += border[0] === "/*" ? 1 : -1
  } while (depth > 0)
  return borders.lastIndex
}

/** The parts of the text in their order; together they are the text. */
export function* sqlParts(sql: string): Generator<SqlPart> {
  const parts = new RegExp(PARTS)
  let end = 0
  for (let found = parts.exec(sql); found !== null; found = parts.exec(sql)) {
    const { 0: begun, index, groups: { quoted, comment, variable, parameter } = {} } = found
    const name = variable ?? parameter
    if ((quoted ?? comment ?? name) === undefined) continue
    if (index > end) yield { text: sql.slice(end, index), kind: "code" }
    if (begun === "/*") parts.lastIndex = endOfComment(sql, index)
    end = parts.lastIndex
    const text = sql.slice(index, end)
    if (name === undefined) yield { text, kind: quoted === undefined ? "comment" : "quoted" }
    else yield { text, kind: variable === undefined ? "parameter" : "variable", name }
  }
  if (end < sql.length) yield { text: sql.slice(end), kind: "code" }
}
