// The past states of a page, `?as-of=2026-06-01T18:00Z`: the choice of an instant in the header, the note that says which
// one is shown, and links that keep it. It works without scripts.
import { formatInstant, parseInstant } from "../../domain/values/time.ts"
import { withParameters } from "./address.ts"
import { time } from "./figure.ts"
import { fieldValue, html, type Html } from "./html.ts"

/** The address of the page. */
export interface View {
  readonly path: string
  /** Its parameters, without the instant. */
  readonly others: ReadonlyArray<readonly [name: string, value: string]>
  /** The instant of a past state, `2026-06-01T18:00:00Z`. */
  readonly asOf: string | undefined
}

/** The instant in an address, in microseconds since 1970; without an offset it is UTC, and a day stands for its beginning. */
export const instantOf = (text: string | undefined): number | undefined =>
  /^\s*\d{4}-\d{2}-\d{2}/.test(text ?? "") ? parseInstant(text?.trim()) : undefined

export const viewOf = (
  path: string,
  parameters: Readonly<Record<string, ReadonlyArray<string>>>,
): View => {
  const micros = instantOf(parameters["as-of"]?.[0])
  return {
    path,
    others: Object.entries(parameters).flatMap(([name, values]) =>
      name === "as-of"
        ? []
        : // Forms send line breaks as CR LF.
          values.map((value) => [name, value.replaceAll("\r\n", "\n")] as const),
    ),
    asOf: micros === undefined ? undefined : formatInstant(micros).replace(".000Z", "Z"),
  }
}

/** Below the header; the field is in UTC, as all times are. */
export const asOfChoice = ({ path, others, asOf }: View): Html =>
  html`<details class="as-of-choice">
    <summary>${asOf === undefined ? "As known now" : html`As known at ${time(asOf)}`}</summary>
    <form method="get" action="${path}" class="actions" aria-label="Past state">
      ${others.map(([name, value]) => html`<input type="hidden" name="${name}" value="${fieldValue(value)}" />`)}
      <label
        >As it was known at, UTC
        <input type="datetime-local" name="as-of" step="1" value="${asOf?.slice(0, 19)}" required
      /></label>
      <button>Show</button>
      ${asOf !== undefined && html`<a class="button" href="${withParameters(path, others)}">Now</a>`}
    </form>
  </details>`

export const pastNote = ({ path, others, asOf }: View): Html =>
  html`${
    asOf !== undefined &&
    html`<p class="past">
      A past state: what was known at ${time(asOf)} UTC, with ages up to then. What was read or
      revised since is not in it.
      <a href="${withParameters(path, others)}">Show what is known now</a>
    </p>`
  }`

/** The HTML with links and forms that lead to the same instant. Text in it is escaped, so that only attributes match. */
export const keepingInstant = (asOf: string): ((text: string) => string) => {
  const parameter = new URLSearchParams({ "as-of": asOf }).toString()
  return (text) =>
    text
      .replaceAll(
        /(?<=\s)(href|data-path)="(\/(?!assets\/)[^"?#]*)(\?)?/g,
        (_, name: string, path: string, query: string | undefined) =>
          `${name}="${path}?${parameter}${query === undefined ? "" : "&amp;"}`,
      )
      .replaceAll(
        /<form\b[^>]*\bmethod="get"[^>]*>/g,
        (form) => `${form}<input type="hidden" name="as-of" value="${asOf}" />`,
      )
}
