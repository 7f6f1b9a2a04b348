// The page that compares chosen vaults over a period: figures side by side, charts over one another.
import * as Effect from "effect/Effect"
import type { UsageError } from "../../domain/UsageError.ts"
import { ReadError } from "../../pipelines/readers/published.ts"
import { comparisonCharts, comparisonTable, type ComparedVault } from "../comparison/comparison.ts"
import { readComparison } from "../comparison/readComparison.ts"
import { count } from "../figures.ts"
import { html, type Html, name } from "../html/html.ts"
import type { Page } from "../html/layout.ts"
import { sorted, sortingOf } from "../html/sorting.ts"
import { vaultPage, vaultParameter, withParameters } from "../links.ts"
import { periodFigures } from "../periods/figures.ts"
import { INITIAL_DAYS, periodOf, type PeriodText } from "../periods/period.ts"
import { periodForm } from "../periods/periodForm.ts"
import type { Site } from "../site.ts"
import { findVault, keyOf, type Overview, type Vault, vaultName } from "../vaults.ts"

/** The page's address: `?vault=1/0x…&vault=…&from=…&to=…&sort=-drawdown`. */
export interface CompareAddress extends PeriodText {
  readonly vaults: ReadonlyArray<string>
  readonly sort?: string
}

// More would be neither readable nor quick.
const MAX_VAULTS = 50

// As many as one chart can show.
const INITIAL_VAULTS = 12

export const readComparePage = Effect.fnUntraced(function* (site: Site, address: CompareAddress) {
  const overview = yield* site.overview
  const chosen = yield* chosenVaults(overview, address.vaults)
  const period = yield* periodOf(address, overview.whole, INITIAL_DAYS)
  const sorting = yield* sortingOf(address.sort, [
    "vault_name",
    ...periodFigures.map(({ column }) => column),
  ])
  const figures = chosen.length === 0 ? undefined : yield* site.periodFigures(period)
  const rows = sorted(
    chosen.map((vault) => ({
      ...figures?.get(keyOf(vault)),
      vault_name: vaultName(vault),
      compared: { vault, figures: figures?.get(keyOf(vault)) } satisfies ComparedVault,
    })),
    sorting,
  ).map(({ compared }) => compared)
  const marked = address.vaults.length === 0 ? [] : chosen
  const vaults = marked.map((vault) => ["vault", vaultParameter(vault)] as const)
  const days = [
    ["from", address.from],
    ["to", address.to],
  ] as const
  const sort = ["sort", address.sort ?? ""] as const
  return {
    title: "Compare",
    section: "compare",
    body: html`<h1>Compare vaults</h1>
      ${lead(address, chosen, overview)}
      ${
        overview.vaults.length > 0 &&
        html`${periodForm({ path: "/compare", others: [...vaults, sort].filter(([, value]) => value !== ""), period, whole: overview.whole })}
        ${comparisonTable(rows, period, vaultLink, {
          now: sorting,
          href: (next) => withParameters("/compare", [...vaults, ...days, ["sort", next]]),
        })}
        ${vaultChoice(overview, chosen, period)}`
      }`,
    sections:
      chosen.length === 0
        ? []
        : [
            site.latest.read((copy) =>
              Effect.map(
                readComparison(
                  copy,
                  rows.map(({ vault }) => vault),
                  period,
                ),
                (pictures) =>
                  html`<section aria-labelledby="charts">
                    <h2 id="charts">Charts</h2>
                    ${comparisonCharts(
                      pictures,
                      rows.map(({ vault }) => vault),
                      period,
                    )}
                  </section>`,
              ),
            ),
          ],
  } satisfies Page
})

/** Those in the address; without any, the largest that have not ended. */
const chosenVaults = Effect.fnUntraced(function* (
  overview: Overview,
  typed: ReadonlyArray<string>,
) {
  if (typed.length === 0) {
    return overview.vaults
      .filter((vault) => vault["is_ended"] !== true)
      .toSorted((one, other) => Number(other["tvl_usd"] ?? 0) - Number(one["tvl_usd"] ?? 0))
      .slice(0, INITIAL_VAULTS)
  }
  const all = [...new Set(typed)]
  if (all.length > MAX_VAULTS) {
    return yield* new ReadError({
      why: `${count(all.length)} vaults are too many to compare at once: at most ${MAX_VAULTS} are possible.`,
      advice: "Mark fewer of them, or compare all in SQL: from mart.vault_period(null, null).",
    })
  }
  const found = yield* Effect.forEach(all, (text): Effect.Effect<Vault, ReadError | UsageError> => {
    const [, chain, address] = /^(\d+)\/(.+)$/.exec(text) ?? []
    return chain === undefined || address === undefined
      ? Effect.fail(
          new ReadError({
            why: `vault=${text} is not a chain and an address, such as vault=1/0x….`,
            advice: "Mark vaults on the page instead.",
          }),
        )
      : findVault(overview, chain, address)
  })
  // An address may be given in several spellings.
  return [...new Set(found)]
})

const lead = (
  { vaults }: CompareAddress,
  chosen: ReadonlyArray<Vault>,
  { vaults: all }: Overview,
): Html => {
  if (all.length === 0) return html`<p class="empty">The warehouse has no vault yet.</p>`
  if (vaults.length > 0 || chosen.length === all.length) return html``
  return html`<p class="lead">
    No vault is chosen: these are the largest ${count(chosen.length)} that have not ended, of
    ${count(all.length)}. <a href="#choice">Choose others.</a>
  </p>`
}

const vaultLink = (vault: Vault): Html =>
  html`<a class="vault" href="${vaultPage(vault)}">${name(vaultName(vault))}</a>
    <span class="chain"
      >chain ${String(vault["chain_id"])}${vault["is_ended"] === true && ", ended"}</span
    >`

const vaultChoice = (
  { vaults }: Overview,
  chosen: ReadonlyArray<Vault>,
  { from, to }: { readonly from: string; readonly to: string },
): Html =>
  html`<form method="get" action="/compare" id="choice">
    <details>
      <summary>Choose the vaults, up to ${MAX_VAULTS}</summary>
      <input type="hidden" name="from" value="${from}" />
      <input type="hidden" name="to" value="${to}" />
      <ul class="choices">
        ${vaults
          .toSorted((one, other) => vaultName(one).localeCompare(vaultName(other), "en"))
          .map(
            (vault) =>
              html`<li>
                <label
                  ><input
                    type="checkbox"
                    name="vault"
                    value="${vaultParameter(vault)}"
                    ${chosen.includes(vault) && html`checked`}
                  />
                  ${name(vaultName(vault))}</label
                >
              </li>`,
          )}
      </ul>
      <button>Compare</button>
    </details>
  </form>`
