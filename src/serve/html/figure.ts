// Figures and instants as HTML elements.
import { instant, MISSING } from "../figures.ts"
import { html, type Html } from "./html.ts"

/** An instant or a day, in UTC, as a machine-readable element. */
export const time = (value: unknown): Html =>
  typeof value === "string" && value !== ""
    ? html`<time datetime="${value}">${instant(value)}</time>`
    : html`${MISSING}`

/** A figure linked to its trace, with its instant below, and its age if that is given. */
export const figure = (text: string, asOf: unknown, href: string | undefined, age?: string): Html =>
  text === MISSING
    ? html`<span class="missing">${MISSING}</span>`
    : html`${href === undefined ? text : html`<a class="figure" href="${href}">${text}</a>`}
      ${typeof asOf === "string" && html`<span class="as-of">${time(asOf)}${age !== undefined && html`, <strong class="severity-2">${age}</strong>`}</span>`}`
