// The document of a report: one HTML file that includes its styles, has no scripts and loads nothing.
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { raw } from "hono/html"
import { html, type Html } from "../html/html.ts"
import { styleSheets } from "../html/styles.ts"

const style = (): string =>
  [...styleSheets, "report.css"]
    .map((file) => readFileSync(join(import.meta.dirname, "../assets", file), "utf8"))
    .join("\n")

/** The whole file. */
export const reportDocument = (title: string, lead: Html, body: Html): string =>
  String(
    html`<!doctype html>
      <html lang="en">
        <head>
          <meta charset="utf-8" />
          <meta name="viewport" content="width=device-width, initial-scale=1" />
          <meta name="color-scheme" content="light dark" />
          <meta
            http-equiv="content-security-policy"
            content="default-src 'none'; style-src 'unsafe-inline'"
          />
          <title>${title}</title>
          <style>
            ${raw(style())}
          </style>
        </head>
        <body>
          <main>
            <h1>${title}</h1>
            <p class="lead">${lead}</p>
            ${body}
          </main>
          <footer>
            <p>Made by vaulthouse. Ratios are rounded down, so that none below 1 reads as 1.</p>
          </footer>
        </body>
      </html> `,
  )
