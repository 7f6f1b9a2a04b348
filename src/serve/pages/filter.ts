// The filter of the overview, which is kept in the page's address: it works without scripts and can be linked to.
import * as Effect from "effect/Effect"
import type { QueryParameters } from "../../domain/values/queryParameter.ts"
import { ReadError, sqlFile } from "../../pipelines/readers/published.ts"
import { choice } from "../html/choice.ts"
import { fieldValue, html, type Html } from "../html/html.ts"
import { withParameters } from "../links.ts"
import type { PeriodText } from "../periods/period.ts"
import { NO_TROUBLE, type Vault, vaultName } from "../vaults.ts"

/** Absent and empty values do not filter. */
export interface Filter {
  /** Part of a vault's name or address. */
  readonly name?: string
  readonly chain?: string
  /** The state of a vault: a `value` of `states`. */
  readonly trouble?: string
}

/** The address of the overview: the filter, the order, and the period of its figures. */
export interface OverviewAddress extends Filter, PeriodText {
  readonly sort?: string
}

/** What is in the address, apart from the names. */
export const parametersBut = (
  { name, chain, trouble, sort, from, to }: OverviewAddress,
  ...but: ReadonlyArray<keyof OverviewAddress>
): ReadonlyArray<readonly [name: string, value: string]> =>
  Object.entries({ name, chain, trouble, sort, from, to }).flatMap(([key, value]) =>
    value === undefined || value === "" || but.includes(key as keyof OverviewAddress)
      ? []
      : [[key, value] as const],
  )

/** The states of a vault, by the severity of its troubles. A vault with several troubles can be in several. */
export const states: ReadonlyArray<{
  readonly severity: number
  readonly value: string
  readonly description: string
}> = [
  { severity: 1, value: "trouble", description: "in trouble" },
  { severity: 2, value: "watch", description: "to watch" },
  { severity: 3, value: "data", description: "with incomplete data" },
  { severity: NO_TROUBLE, value: "none", description: "with nothing to report" },
]

/** Whether any trouble of the vault has the severity; NO_TROUBLE: whether it has none. */
export const hasState = ({ troubles }: Vault, severity: number): boolean =>
  severity === NO_TROUBLE
    ? troubles.length === 0
    : troubles.some((trouble) => Number(trouble["severity"]) === severity)

export const isFiltered = ({ name, chain, trouble }: Filter): boolean =>
  [name, chain, trouble].some((value) => (value ?? "").trim() !== "")

const chainsOf = (vaults: ReadonlyArray<Vault>): ReadonlyArray<string> =>
  [...new Set(vaults.map((vault) => Number(vault["chain_id"])))]
    .toSorted((one, other) => one - other)
    .map(String)

const requireOneOf = (name: string, value: string, known: ReadonlyArray<string>) =>
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
  yield* requireOneOf("trouble", trouble, values)
  yield* requireOneOf("chain", chain, chainsOf(vaults))
  const search = name.trim().toLowerCase()
  return vaults.filter(
    (vault) =>
      (chain === "" || String(vault["chain_id"]) === chain) &&
      (trouble === "" ||
        hasState(vault, states[values.indexOf(trouble)]?.severity ?? NO_TROUBLE)) &&
      `${vaultName(vault)}\n${String(vault["vault_address"])}`.toLowerCase().includes(search),
  )
})

/** A condition of SQL: whether a vault has troubles that meet another condition. */
const isTroubled = (condition: string): string =>
  `(chain_id, vault_address) in (
    select (chain_id, vault_address) from (
${sqlFile("serve", "troubles")}
    ) where ${condition}
)`

/** The same as conditions of SQL on `vaults`, the rows of overview.sql, with values for `$name`, `$chain` and `$severity`. */
export const filterSql = ({ name = "", chain = "", trouble = "" }: Filter) => {
  const search = name.trim().toLowerCase()
  const severity = states.find(({ value }) => value === trouble)?.severity ?? null
  const conditions = [
    ...(search === ""
      ? []
      : ["contains(lower(concat_ws(chr(10), vaults.vault_name, vaults.vault_address)), $name)"]),
    ...(chain === "" ? [] : ["chain_id = $chain"]),
    ...(severity === null
      ? []
      : [
          severity === NO_TROUBLE
            ? `not ${isTroubled("true")}`
            : isTroubled("severity = $severity"),
        ]),
  ]
  const values = { name: search, chain: Number(chain), severity } satisfies QueryParameters
  return { conditions, values }
}

export const filterForm = (vaults: ReadonlyArray<Vault>, filter: OverviewAddress): Html =>
  html`<form method="get" action="/" class="actions" role="search">
    <label
      >Name or address
      <input type="search" name="name" value="${fieldValue(filter.name ?? "")}" />
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
      states.map(({ value, description }) => [value, description]),
      filter.trouble,
    )}
    ${parametersBut(filter, "name", "chain", "trouble").map(([name, value]) => html`<input type="hidden" name="${name}" value="${fieldValue(value)}" />`)}
    <button>Filter</button>
    ${isFiltered(filter) && html`<a class="button" href="${withParameters("/", parametersBut(filter, "name", "chain", "trouble"))}">Show all</a>`}
  </form>`
