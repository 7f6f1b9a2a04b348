// The document around every page: navigation, the time of the publication, and the place for a note about a newer one.
import type * as Effect from "effect/Effect"
import type { Publication } from "../../pipelines/readers/latestCopy.ts"
import { withParameters } from "./address.ts"
import { time } from "./figure.ts"
import { html, type Html, nothing } from "./html.ts"
import { asOfChoice, keepingInstant, pastNote, type View } from "./pastState.ts"
import { styleSheets } from "./styles.ts"

export type Section = "overview" | "compare" | "data" | "sql"

export interface Page {
  readonly title: string
  /** The part of the navigation that the page belongs to. */
  readonly section?: Section
  readonly body: Html
  /** Sections after the body. Each is sent as soon as it is read, so that the browser shows the others meanwhile. */
  readonly sections?: ReadonlyArray<Effect.Effect<Html, Error>>
  /** Scripts of `assets.ts` that the page needs besides `live.js`. */
  readonly scripts?: ReadonlyArray<string>
  /** Style sheets that the page needs besides those of every page. */
  readonly styles?: ReadonlyArray<string>
}

const sections: ReadonlyArray<readonly [Section, href: string, label: string]> = [
  ["overview", "/", "Overview"],
  ["compare", "/compare", "Compare"],
  ["data", "/data", "Data"],
  ["sql", "/sql", "SQL"],
]

export interface Links {
  /** The path of a file of `assets.ts`, including its version. */
  readonly asset: (file: string) => string
  /** Of pages that can show a past state. */
  readonly view?: View
}

/** The document without the page's sections. Pages that show no data have no publication. */
export const document = (page: Page, publication: Publication | undefined, links: Links): string =>
  `${documentHead(page, publication, links)}${keeping(links)(String(page.body))}${documentEnd}`

/** For the parts of a page: links in them keep the instant that is shown. */
export const keeping = ({ view }: Links): ((text: string) => string) =>
  view?.asOf === undefined ? (text) => text : keepingInstant(view.asOf)

export const documentHead = (
  { title, section, scripts = [], styles = [] }: Page,
  publication: Publication | undefined,
  { asset, view }: Links,
): string =>
  String(
    html`<!doctype html>
      <html lang="en" ${publication ? html` data-run="${publication.runId}"` : nothing}>
        <head>
          <meta charset="utf-8" />
          <meta name="viewport" content="width=device-width, initial-scale=1" />
          <meta name="color-scheme" content="light dark" />
          <title>${title} – vaulthouse</title>
          <link rel="icon" href="${asset("icon.svg")}" type="image/svg+xml" />
          ${[...styles, ...styleSheets].map((file) => html`<link rel="stylesheet" href="${asset(file)}" />`)}
          ${publication && [...(view?.asOf === undefined ? ["live.js"] : []), ...scripts].map((file) => html`<script type="module" src="${asset(file)}"></script>`)}
        </head>
        <body>
          <a class="skip" href="#content">Skip to the content</a>
          <header>
            <a class="brand" href="${linkTo("/", view)}">vaulthouse</a>
            <nav aria-label="Pages">
              <ul>
                ${sections.map(([name, href, label]) => html`<li><a href="${linkTo(href, view)}" ${name === section ? html` aria-current="page"` : nothing}>${label}</a></li>`)}
              </ul>
            </nav>
            ${publication && html`<p class="published">Published ${time(publication.publishedAt)} UTC</p>`}
            ${view && asOfChoice(view)}
          </header>
          <div id="note" role="status"></div>
          <main id="content" tabindex="-1">${view && pastNote(view)}
       `,
  )

const linkTo = (path: string, view: View | undefined): string =>
  withParameters(path, [["as-of", view?.asOf]])

export const documentEnd = `</main>
<footer><p>Times are UTC. The time below a figure is the time it is for; the figure links to the response it was read from. Ratios are rounded down, so that none below 1 reads as 1.</p></footer>
</body>
</html>
`
