// What a reader sees in the HTML of pages and reports: the text of figures, without the notes below them.

const unescaped = (html: string): string =>
  html
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&quot;", '"')
    .replaceAll("&#39;", "'")
    .replaceAll("&amp;", "&")

const plain = (html: string): string =>
  unescaped(html.replaceAll(/<[^>]*>/g, " ").replaceAll(/\s+/g, " ")).trim()

/** The figure alone; notes and instants are in elements of their own after it. */
export const figureIn = (html: string): string =>
  plain(html.split(/<span\s+class="(?:note|as-of|missing)"/)[0] ?? "") || "–"

/** The figure of the previous period, which a report shows below that of the period. */
export const previousIn = (html: string): string =>
  figureIn(html.split(/<span\s+class="as-of"\s*>/)[1] ?? "")

const elements = (html: string, tag: string): ReadonlyArray<string> =>
  [...html.matchAll(new RegExp(`<(?:${tag})\\b[^>]*>([\\s\\S]*?)</(?:${tag})>`, "g"))].map(
    ([, content = ""]) => content,
  )

/** The cells of each row of the first table, by the table's headers; the first cell names the row. */
export const tableIn = (html: string): ReadonlyMap<string, Readonly<Record<string, string>>> => {
  const [head = "", body = ""] = ["thead", "tbody"].map((tag) => elements(html, tag)[0])
  const headers = elements(head, "th").map(plain)
  return new Map(
    elements(body, "tr").map((row) => {
      const cells = elements(row, "th|td")
      const [, label = ""] = /<bdi>([^<]*)<\/bdi>/.exec(cells[0] ?? "") ?? []
      return [
        label === "" ? plain(cells[0] ?? "") : unescaped(label),
        Object.fromEntries(headers.map((header, at) => [header, cells[at] ?? ""])),
      ] as const
    }),
  )
}

/** The last row of the first table, where figures are added up. */
export const totalsIn = (html: string): Readonly<Record<string, string>> => {
  const [head = "", foot = ""] = ["thead", "tfoot"].map((tag) => elements(html, tag)[0])
  const cells = elements(foot, "th|td")
  return Object.fromEntries(
    elements(head, "th").map((header, at) => [plain(header), figureIn(cells[at] ?? "")]),
  )
}

/** Terms and figures of the lists of figures, list by list. */
export const listsIn = (html: string): ReadonlyArray<Readonly<Record<string, string>>> =>
  elements(html, "dl").map((list) => {
    const [terms, figures] = [elements(list, "dt"), elements(list, "dd")]
    return Object.fromEntries(
      terms.map((term, at) => [plain(term), figureIn(figures[at] ?? "")] as const),
    )
  })
