// A labelled drop-down list in a form.
import { html, type Html } from "./html.ts"

/** `every` is the label of the first option, which stands for no choice. */
export const choice = (
  label: string,
  name: string,
  every: string,
  options: ReadonlyArray<readonly [value: string, label: string]>,
  chosen: string | undefined,
): Html =>
  html`<label
    >${label}
    <select name="${name}">
      <option value="">${every}</option>
      ${options.map(([value, text]) => html`<option value="${value}" ${value === chosen && html`selected`}>${text}</option>`)}
    </select></label
  >`
