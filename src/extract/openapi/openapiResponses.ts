// The responses of an endpoint by status (§7), for the OpenAPI document.
import type { AnyEndpoint } from "../Endpoint.ts"
import type { JsonSchema } from "../Parameter.ts"

type Response = Readonly<Record<string, unknown>>

interface Condition {
  readonly status: string
  readonly meaning: string
  readonly applies: (endpoint: AnyEndpoint) => boolean
}

const cites = ({ section }: AnyEndpoint, paragraph: string): boolean =>
  section.split(", ").includes(paragraph)

const isOneOf =
  (...names: ReadonlyArray<string>) =>
  ({ name }: AnyEndpoint): boolean =>
    names.includes(name)

const needsKey = ({ auth }: AnyEndpoint): boolean => auth !== "public"

/** The table of §7, which shows no status for authorization failures; 401 and 403 are usual. */
const conditions: ReadonlyArray<Condition> = [
  {
    status: "400",
    meaning: "Not offered: whitelist of a non-EVM vault, annualized APY of an unsupported vault",
    applies: isOneOf("whitelist_status", "annualized_apy"),
  },
  { status: "401", meaning: "Missing or unknown API key (status not shown)", applies: needsKey },
  { status: "403", meaning: "Insufficient API key (status not shown)", applies: needsKey },
  {
    status: "404",
    meaning: "Unknown vault on a transparency endpoint; vault or snapshot missing",
    applies: (endpoint) => cites(endpoint, "§4.1") && endpoint.name !== "revert_reason",
  },
  {
    status: "404",
    meaning: "The token has no discount factor",
    applies: isOneOf("collateral_excess"),
  },
  { status: "404", meaning: "Loan or chain missing", applies: isOneOf("loan_detail") },
  {
    status: "422",
    meaning: "Non-EVM vault sent to a chain-scoped endpoint",
    applies: (endpoint) => cites(endpoint, "§4.1") && "chainId" in endpoint.parameters,
  },
  {
    status: "422",
    meaning: "Validation error",
    applies: (endpoint) => cites(endpoint, "§4.2"),
  },
  {
    status: "424",
    meaning: "External data could not be fetched",
    applies: isOneOf("annualized_apy"),
  },
  {
    status: "429",
    meaning: "Rate limit exceeded",
    applies: (endpoint) => cites(endpoint, "§4.1"),
  },
  { status: "500", meaning: "Server error during calculation", applies: isOneOf("annualized_apy") },
  {
    status: "5XX",
    meaning: "Tracing unsupported by the chain's RPC; the detail explains",
    applies: isOneOf("revert_reason"),
  },
  {
    status: "4XX",
    meaning: "Insufficient snapshot data for the period",
    applies: isOneOf("performance_fees"),
  },
  { status: "4XX", meaning: "Invalid status filter", applies: isOneOf("timelock_requests") },
  {
    status: "4XX",
    meaning: "A token lacks a discount factor",
    applies: isOneOf("collateral_simulation"),
  },
  { status: "5XX", meaning: "Unexpected failure", applies: () => true },
]

/** Server errors have a detail text; the document does not show the shape of error bodies (§7). */
const errorBody = {
  "application/json": {
    schema: { type: "object", properties: { detail: { description: "What went wrong" } } },
  },
}

export const responsesOf = (
  rows: ReadonlyArray<AnyEndpoint>,
  schema: JsonSchema,
): Readonly<Record<string, Response>> => {
  const meanings = new Map<string, Set<string>>()
  for (const { status, meaning, applies } of conditions) {
    if (!rows.some(applies)) continue
    meanings.set(status, (meanings.get(status) ?? new Set()).add(meaning))
  }
  return {
    "200": {
      description: "Success; any other body is a contract violation (§7)",
      content: { "application/json": { schema } },
    },
    ...Object.fromEntries(
      [...meanings]
        .toSorted(([a], [b]) => (a < b ? -1 : 1))
        .map(([status, of]) => [status, { description: [...of].join("; "), content: errorBody }]),
    ),
  }
}
