// The overview's filter: parameters of its address, so that it works without script and can be linked to.
import * as Effect from "effect/Effect"
import { ReadError } from "../../pipelines/readers/published.ts"
import { choice } from "../html/choice.ts"
import { html, type Html } from "../html/html.ts"
import { NO_TROUBLE, type Vault, vaultName, worst } from "../vaults.ts"

/** An absent or empty one filters nothing. */
export interface Filter {
  /** Part of a name or address. */
  readonly name?: string
  readonly chain?: string
  /** The state of a vault: a `value` of `states`. */
  readonly trouble?: string
}

/** By the severity of a vault's worst trouble. */
export const states: ReadonlyArray<{
  readonly severity: number
  readonly value: string
  readonly words: string
}> = [
  { severity: 1, value: "trouble", words: "in trouble" },
  { severity: 2, value: "watch", words: "to watch" },
  { severity: 3, value: "data", words: "with incomplete data" },
  { severity: NO_TROUBLE, value: "none", words: "with nothing to report" },
]

export const isFiltered = ({ name, chain, trouble }: Filter): boolean =>
  [name, chain, trouble].some((value) => (value ?? "").trim() !== "")

const chainsOf = (vaults: ReadonlyArray<Vault>): ReadonlyArray<string> =>
  [...new Set(vaults.map((vault) => Number(vault["chain_id"])))]
    .toSorted((one, other) => one - other)
    .map(String)

const oneOf = (name: string, value: string, known: ReadonlyArray<string>) =>
  value === "" || known.includes(value)
    ? Effect.void
    : Effect.fail(
        new ReadError({
          why: `${name}=${value} is not one of ${known.join(", ")}.`,
          advice: "Choose one in the overview.",
        }),
      )

export const filtered = Effect.fnUntraced(function* (
  vaults: ReadonlyArray<Vault>,
  { name = "", chain = "", trouble = "" }: Filter,
) {
  const values = states.map(({ value }) => value)
  yield* oneOf("trouble", trouble, values)
  yield* oneOf("chain", chain, chainsOf(vaults))
  const part = name.trim().toLowerCase()
  return vaults.filter(
    (vault) =>
      (chain === "" || String(vault["chain_id"]) === chain) &&
      (trouble === "" || states[values.indexOf(trouble)]?.severity === worst(vault)) &&
      `${vaultName(vault)}\n${String(vault["vault_address"])}`.toLowerCase().includes(part),
  )
})

export const filterForm = (vaults: ReadonlyArray<Vault>, filter: Filter): Html =>
  html`<form method="get" action="/" class="actions" role="search">
    <label
      >Name or address
      <input type="search" name="name" value="${filter.name ?? ""}" />
    </label>
    ${choice(
      "Chain",
      "chain",
      "every chain",
      chainsOf(vaults).map((chain) => [chain, chain]),
      filter.chain,
    )}
    ${choice(
      "State",
      "trouble",
      "every state",
      states.map(({ value, words }) => [value, words]),
      filter.trouble,
    )}
    <button>Filter</button>
    ${isFiltered(filter) && html`<a class="button" href="/">Show all</a>`}
  </form>`
