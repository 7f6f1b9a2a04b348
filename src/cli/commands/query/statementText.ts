// Splits SQL into tokens and statements: at semicolons, except in strings, names and comments.

const token =
  /'(?:[^']|'')*'|"(?:[^"]|"")*"|--[^\n\r]*(?:[\n\r]|$)|\/\*[^]*?\*\/|\$(\w*)\$[^]*?\$\1\$|;|['"]|\/\*|[^]/g

export interface Split {
  /** Complete statements, with their semicolons. */
  readonly statements: ReadonlyArray<string>
  /** Text that no semicolon has ended yet. */
  readonly rest: string
}

export const splitStatements = (text: string): Split => {
  const statements: Array<string> = []
  let current = ""
  for (const match of text.matchAll(token)) {
    const [found] = match
    // A quote or a comment that is still open swallows what follows, until its end is typed.
    if (found === "'" || found === '"' || found === "/*") {
      return { statements, rest: current + text.slice(match.index) }
    }
    current += found
    if (found !== ";") continue
    if (hasContent(current)) statements.push(current.trim())
    current = ""
  }
  return { statements, rest: current.trim() === "" ? "" : current }
}

const hasContent = (statement: string): boolean =>
  statement.replaceAll(/--[^\n\r]*|\/\*[^]*?\*\//g, "").replaceAll(/[;\s]/g, "") !== ""
