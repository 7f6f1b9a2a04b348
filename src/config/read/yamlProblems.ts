// Explains what is wrong with the YAML of a file, for people who write settings rather than parsers.
import type * as Yaml from "yaml"

export interface YamlProblem {
  readonly offset: number
  readonly detail: string
}

/** The first mistake, since later ones often follow from it; without one, every key that is set twice. */
export const yamlProblems = (
  { visit }: Pick<typeof Yaml, "visit">,
  document: Yaml.Document.Parsed,
  text: string,
): ReadonlyArray<YamlProblem> => {
  const repeated = document.errors.filter(({ code }) => code === "DUPLICATE_KEY")
  const first = document.errors.find(({ code }) => code !== "DUPLICATE_KEY")
  if (first !== undefined) {
    const [noticed] = first.pos
    let opening: number | undefined
    visit(document, {
      Scalar: (_, { type, range }) => {
        if (type?.startsWith("QUOTE") === true) opening = range?.[0]
      },
    })
    // The parser notices a missing quotation mark at the end of the file; the last text in quotes lacks it.
    const offset = isOpenQuote(first) ? (opening ?? noticed) : noticed
    return [{ offset, detail: detailOf(first, text) }]
  }
  const aliases: Array<YamlProblem> = []
  visit(document, {
    Alias: (_, alias) => {
      if (alias.resolve(document) === undefined) {
        aliases.push({ offset: alias.range?.[0] ?? 0, detail: needsQuotes("*") })
      }
    },
  })
  return [
    ...repeated.map((error) => ({ offset: error.pos[0], detail: detailOf(error, text) })),
    ...aliases,
  ]
}

const needsQuotes = (character: string): string =>
  `text that begins with \`${character}\` needs quotes`

const isOpenQuote = ({ message }: Yaml.YAMLParseError): boolean => message.endsWith("quote")

const detailOf = (error: Yaml.YAMLParseError, text: string): string => {
  const { code, message, pos } = error
  const rest = text.slice(pos[0])
  switch (code) {
    case "DUPLICATE_KEY":
      return `\`${/^["']?([^"':\s]+)/.exec(rest)?.[1] ?? ""}\` is set twice`
    case "TAB_AS_INDENT":
      return "indented with a tab; YAML is indented with spaces"
    case "MULTIPLE_DOCS":
      return "`---` begins a second document; a file of settings has only one"
    case "BAD_SCALAR_START":
      return needsQuotes(rest.charAt(0))
    case "BAD_ALIAS":
      return needsQuotes("*")
    case "BAD_DQ_ESCAPE":
      return `\`${rest.slice(0, 2)}\` has no meaning in double quotes; write the text in single quotes`
    case "BLOCK_AS_IMPLICIT_KEY":
      return "wrong indentation, or a text with `: ` that needs quotes"
    case "MULTILINE_IMPLICIT_KEY":
      return "not `name: value`; a space follows the colon"
    case "MISSING_CHAR":
      return isOpenQuote(error)
        ? "this text has no closing quotation mark"
        : "not `name: value`; a space follows the colon"
    case "BAD_INDENT": {
      const bracket = / end with a (.)$/.exec(message)?.[1]
      return bracket === undefined ? "wrong indentation" : `a \`${bracket}\` is missing before this`
    }
    default:
      return / alias /.test(message) ? needsQuotes("*") : `not valid YAML: ${message}`
  }
}
