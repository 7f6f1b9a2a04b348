// Figures and instants as elements.
import { instant, MISSING } from "../figures.ts"
import { html, type Html } from "./html.ts"

/** An instant or a day, in UTC, as an element that programs can read too. */
export const time = (value: unknown): Html =>
  typeof value === "string" && value !== ""
    ? html`<time datetime="${value}">${instant(value)}</time>`
    : html`${MISSING}`

/** A figure with the instant it is of below it, linked to what it was read from. */
export const figure = (text: string, asOf: unknown, href: string | undefined): Html =>
  text === MISSING
    ? html`<span class="missing">${MISSING}</span>`
    : html`${href === undefined ? text : html`<a class="figure" href="${href}">${text}</a>`}
      ${typeof asOf === "string" && html`<span class="as-of">${time(asOf)}</span>`}`
