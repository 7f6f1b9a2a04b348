// Breaks a long line of SQL into one line per clause.

const CLAUSE =
  /^(from|(left |inner |cross |asof |anti |semi |full )?join|where|group by|having|window|qualify|order by|limit|union|except|intersect)\b/i

interface Word {
  readonly text: string
  /** Outside parentheses, so that a clause may begin with it. */
  readonly isOutside: boolean
}

/** The words of the SQL; quoted text is never broken. */
const splitWords = (sql: string): ReadonlyArray<Word> => {
  let depth = 0
  return [...sql.matchAll(/(?:'[^']*'|"[^"]*"|[^\s'"])+/g)].map(([text]) => {
    const isOutside = depth === 0
    const bare = text.replaceAll(/'[^']*'|"[^"]*"/g, "")
    depth += bare.split("(").length - bare.split(")").length
    return { text, isOutside }
  })
}

/** Lines of at most this width, as far as the words allow; continued clauses are indented. */
export const sqlLines = (sql: string, width: number): ReadonlyArray<string> => {
  const whole = sql.trim()
  if (whole.includes("\n") || whole.length <= width) return whole.split("\n")
  const words = splitWords(whole)
  const lines: Array<string> = []
  let line = ""
  let isJoinOpen = false
  for (const [at, { text, isOutside }] of words.entries()) {
    const next = `${text} ${words[at + 1]?.text ?? ""}`
    const isClause: boolean = isOutside && !isJoinOpen && CLAUSE.test(next)
    const isFull = line.trim() !== "" && line.length + 1 + text.length > width
    if (isClause || isFull) {
      lines.push(line)
      line = isClause ? text : `    ${text}`
    } else line = line === "" ? text : `${line} ${text}`
    // The second word of `left join` does not begin another clause.
    isJoinOpen = isClause && /^(left|inner|cross|asof|anti|semi|full)$/i.test(text)
  }
  return [...lines, line]
}
