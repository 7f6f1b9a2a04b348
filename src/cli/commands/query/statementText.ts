// Splits SQL into statements: at semicolons, except in strings, names and comments.
import { sqlParts } from "../../../domain/values/sqlParts.ts"

export interface Split {
  /** Complete statements, with their semicolons. */
  readonly statements: ReadonlyArray<string>
  /** Text that no semicolon has ended yet. */
  readonly rest: string
}

export const splitStatements = (text: string): Split => {
  const statements: Array<string> = []
  let current = ""
  let hasContent = false
  for (const part of sqlParts(text)) {
    // Only in code does a semicolon end a statement. A quote or a comment that is still open is the last part.
    const pieces = part.kind === "code" ? part.text.split(/(?<=;)/) : [part.text]
    for (const piece of pieces) {
      current += piece
      hasContent ||= part.kind !== "comment" && /[^;\s]/.test(piece)
      if (part.kind !== "code" || !piece.endsWith(";")) continue
      if (hasContent) statements.push(current.trim())
      ;[current, hasContent] = ["", false]
    }
  }
  return { statements, rest: current.trim() === "" ? "" : current }
}
