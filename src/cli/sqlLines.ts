// SQL of one line, on several where it is long: a clause a line.

const CLAUSE =
  /^(from|(left |inner |cross |asof |anti |semi |full )?join|where|group by|having|window|qualify|order by|limit|union|except|intersect)\b/i

interface Word {
  readonly text: string
  /** Not within parentheses, so that a clause may begin with it. */
  readonly isOutside: boolean
}

/** Words of the SQL; what stands in quotes is never parted. */
const wordsOf = (sql: string): ReadonlyArray<Word> => {
  let depth = 0
  return [...sql.matchAll(/(?:'[^']*'|"[^"]*"|[^\s'"])+/g)].map(([text]) => {
    const isOutside = depth === 0
    const bare = text.replaceAll(/'[^']*'|"[^"]*"/g, "")
    depth += bare.split("(").length - bare.split(")").length
    return { text, isOutside }
  })
}

/** At most so wide, as far as its words allow; lines within a clause are indented. */
export const sqlLines = (sql: string, width: number): ReadonlyArray<string> => {
  const whole = sql.trim()
  if (whole.includes("\n") || whole.length <= width) return whole.split("\n")
  const words = wordsOf(whole)
  const lines: Array<string> = []
  let line = ""
  let isOpen = false
  for (const [at, { text, isOutside }] of words.entries()) {
    const next = `${text} ${words[at + 1]?.text ?? ""}`
    const isClause: boolean = isOutside && !isOpen && CLAUSE.test(next)
    const isFull = line.trim() !== "" && line.length + 1 + text.length > width
    if (isClause || isFull) {
      lines.push(line)
      line = isClause ? text : `    ${text}`
    } else line = line === "" ? text : `${line} ${text}`
    // The second word of `left join` begins no clause of its own.
    isOpen = isClause && /^(left|inner|cross|asof|anti|semi|full)$/i.test(text)
  }
  return [...lines, line]
}
