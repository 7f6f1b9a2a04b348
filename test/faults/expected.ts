// What becomes of each endpoint that meets a fault. docs/reliability.md, "Answers of the service", says what the words mean.

export interface Expectation {
  /** Of the endpoints that `but` does not name. */
  readonly others: string
  /** Endpoints by what becomes of them, with a space between two. */
  readonly but?: Readonly<Record<string, string>>
}

export const expected: Readonly<Record<string, Expectation>> = {
  "refused connection": {
    others: "failed: Transport",
    but: {
      "failed: Transport, gap": "historical_allocations unrealized_pnl_ratio",
      unknown: "swap",
      unclear: "key_verification",
    },
  },
  "reset before the response": {
    others: "failed: Transport",
    but: {
      "failed: Transport, gap": "historical_allocations unrealized_pnl_ratio",
      unknown: "swap",
      unclear: "key_verification",
    },
  },
  "reset in the body": {
    others: "failed: Transport",
    but: {
      "failed: Transport, gap": "historical_allocations unrealized_pnl_ratio",
      unknown: "swap",
      unclear: "key_verification",
    },
  },
  "closed before the response": {
    others: "failed: Transport",
    but: {
      "failed: Transport, gap": "historical_allocations unrealized_pnl_ratio",
      unknown: "swap",
      unclear: "key_verification",
    },
  },
  "body that stops": {
    others: "failed: Timeout",
    but: {
      "failed: Timeout, gap": "historical_allocations unrealized_pnl_ratio",
      unknown: "swap",
      unclear: "key_verification",
    },
  },
  "a byte a second": {
    others: "failed: Timeout",
    but: {
      "failed: Timeout, gap": "historical_allocations unrealized_pnl_ratio",
      unknown: "swap",
      unclear: "key_verification",
    },
  },
  "length too small": {
    others: "refused",
    but: {
      "refused, gap": "historical_allocations unrealized_pnl_ratio",
      unknown: "swap",
      unclear: "key_verification",
    },
  },
  "length too large": {
    others: "failed: Transport",
    but: {
      "failed: Transport, gap": "historical_allocations unrealized_pnl_ratio",
      unknown: "swap",
      unclear: "key_verification",
    },
  },
  "wrong content type": {
    others: "complete",
    but: { confirmed: "swap", allowed: "key_verification" },
  },
  "truncated JSON": {
    others: "refused",
    but: {
      "refused, gap": "historical_allocations unrealized_pnl_ratio",
      unknown: "swap",
      unclear: "key_verification",
    },
  },
  "200 with an error object": {
    others: "refused",
    but: {
      "refused, gap": "historical_allocations unrealized_pnl_ratio",
      unknown: "swap",
      unclear: "key_verification",
    },
  },
  "200 with a list of an error": {
    others: "refused",
    but: {
      "refused, gap": "historical_allocations unrealized_pnl_ratio",
      unknown: "swap",
      unclear: "key_verification",
    },
  },
  "200 with {}": {
    others: "refused",
    but: {
      "refused, gap": "historical_allocations unrealized_pnl_ratio",
      "empty, rows kept": "protocol_positions",
      unknown: "swap",
      unclear: "key_verification",
    },
  },
  "204": {
    others: "refused",
    but: {
      "refused, gap": "historical_allocations unrealized_pnl_ratio",
      unknown: "swap",
      unclear: "key_verification",
    },
  },
  "301 to another host": {
    others: "failed: UnexpectedStatus",
    but: {
      "failed: UnexpectedStatus, gap": "historical_allocations unrealized_pnl_ratio",
      unknown: "swap",
      unclear: "key_verification",
    },
  },
  "400": {
    others: "failed: UnexpectedStatus",
    but: {
      absent: "revert_reason",
      "empty, rows kept": "annualized_apy collateral_simulation performance_fees whitelist_status",
      "failed: UnexpectedStatus, gap": "historical_allocations unrealized_pnl_ratio",
      refused: "swap",
      unclear: "key_verification",
    },
  },
  "401": { others: "no access", but: { refused: "swap", "key unknown": "key_verification" } },
  "403": { others: "no access", but: { refused: "swap", forbidden: "key_verification" } },
  "404": {
    others: "empty, rows kept",
    but: {
      "failed: NotFound":
        "cefi_positions discount_factors health_factor loans my_subaccounts otc_margin_requirements otc_positions protocol_positions subaccount_directory subaccount_loans subaccount_otc_positions subaccount_summary timelock_requests tokenized_vaults transactions vault_subaccounts whitelist_status",
      absent: "loan_detail revert_reason",
      refused: "swap",
      unclear: "key_verification",
    },
  },
  "409": {
    others: "failed: UnexpectedStatus",
    but: {
      "failed: UnexpectedStatus, gap": "historical_allocations unrealized_pnl_ratio",
      "empty, rows kept": "collateral_simulation performance_fees",
      refused: "swap",
      unclear: "key_verification",
    },
  },
  "422": {
    others: "failed: UnexpectedStatus",
    but: {
      absent: "revert_reason",
      "empty, rows kept":
        "annualized_apy audit_log collateral_simulation fees historical_allocations oracle_classification performance_fees permissions positions roles timelocks tokenized_vault vault_summary withdrawals",
      "failed: UnexpectedStatus, gap": "unrealized_pnl_ratio",
      refused: "swap",
      unclear: "key_verification",
    },
  },
  "424": {
    others: "failed: DependencyFailed",
    but: {
      "failed: DependencyFailed, gap": "historical_allocations unrealized_pnl_ratio",
      unknown: "swap",
      unclear: "key_verification",
    },
  },
  "429": { others: "retried", but: { refused: "swap", unclear: "key_verification" } },
  "429, Retry-After in seconds": {
    others: "retried",
    but: { refused: "swap", unclear: "key_verification" },
  },
  "429, Retry-After a date": {
    others: "retried",
    but: { refused: "swap", unclear: "key_verification" },
  },
  "429, Retry-After nonsense": {
    others: "retried",
    but: { refused: "swap", unclear: "key_verification" },
  },
  "429 for good": { others: "deferred", but: { refused: "swap", unclear: "key_verification" } },
  "500 for a while": { others: "retried", but: { unknown: "swap", unclear: "key_verification" } },
  "500 for good": {
    others: "failed: ServerError",
    but: {
      "failed: ServerError, gap": "historical_allocations unrealized_pnl_ratio",
      absent: "revert_reason",
      unknown: "swap",
      unclear: "key_verification",
    },
  },
  empty: {
    others: "empty, rows kept",
    but: {
      "does not apply":
        "annualized_apy collateral_excess fees health_factor key_verification loan_detail performance_fees revert_reason swap withdrawals",
      "as sent": "positions subaccount_summary vault_summary",
      complete: "collateral_simulation tokenized_vault",
    },
  },
  "a page twice": {
    others: "as sent",
    but: {
      complete:
        "discount_factors historical_allocations historical_apy_chart loans my_subaccounts subaccount_loans transactions unrealized_pnl unrealized_pnl_ratio vault_subaccounts whitelist_status",
      "does not apply":
        "annualized_apy collateral_excess fees health_factor key_verification loan_detail performance_fees revert_reason swap withdrawals",
      retried: "subaccount_directory tokenized_vaults",
      "as sent, stays": "audit_log",
    },
  },
  "pages out of order": {
    others: "complete",
    but: {
      "does not apply":
        "annualized_apy cefi_positions collateral_excess collateral_simulation fees health_factor key_verification loan_detail performance_fees revert_reason swap timelock_requests timelocks tokenized_vaults vault_summary withdrawals",
      "as sent": "oracle_classification subaccount_summary",
      retried: "subaccount_directory",
    },
  },
  "a cursor that does not move": {
    others: "complete",
    but: {
      "does not apply":
        "annualized_apy cefi_positions discount_factors fees historical_apy_chart key_verification loan_detail loans my_subaccounts oracle_classification otc_margin_requirements otc_positions permissions positions revert_reason roles subaccount_loans subaccount_otc_positions subaccount_summary swap timelock_requests timelocks tokenized_vault tokenized_vaults vault_subaccounts vault_summary withdrawals",
      "as sent": "unrealized_pnl unrealized_pnl_ratio",
      refused: "audit_log",
    },
  },
  "has_more for ever": {
    others: "as sent",
    but: {
      "does not apply":
        "cefi_positions discount_factors loans my_subaccounts otc_margin_requirements otc_positions subaccount_directory subaccount_loans subaccount_otc_positions timelock_requests tokenized_vaults transactions unrealized_pnl unrealized_pnl_ratio vault_subaccounts whitelist_status",
      "as sent, stays":
        "health_factor historical_allocations historical_apy_chart loan_detail permissions revert_reason roles timelocks",
      confirmed: "swap",
      allowed: "key_verification",
      complete: "audit_log",
    },
  },
  "field missing": {
    others: "as sent",
    but: {
      "record refused":
        "audit_log collateral_simulation discount_factors permissions positions roles subaccount_summary unrealized_pnl whitelist_status",
      refused:
        "collateral_excess fees health_factor historical_apy_chart oracle_classification performance_fees revert_reason timelocks",
      "record refused, gap": "historical_allocations unrealized_pnl_ratio",
      "as sent, stays": "loan_detail",
      unknown: "swap",
      allowed: "key_verification",
    },
  },
  "field null": {
    others: "as sent",
    but: {
      "record refused": "audit_log discount_factors permissions whitelist_status",
      refused: "historical_apy_chart oracle_classification revert_reason",
      "as sent, stays": "health_factor loan_detail",
      "record refused, gap": "historical_allocations",
      unknown: "swap",
      allowed: "key_verification",
    },
  },
  "field of another type": {
    others: "as sent",
    but: {
      "record refused":
        "audit_log collateral_simulation discount_factors permissions positions roles subaccount_summary unrealized_pnl whitelist_status",
      refused:
        "collateral_excess fees health_factor historical_apy_chart oracle_classification performance_fees timelocks",
      "as sent, stays": "loan_detail revert_reason",
      "record refused, gap": "historical_allocations unrealized_pnl_ratio",
      unknown: "swap",
      allowed: "key_verification",
    },
  },
  "unknown field": {
    others: "as sent",
    but: {
      "as sent, stays":
        "health_factor historical_allocations historical_apy_chart loan_detail revert_reason",
      confirmed: "swap",
      allowed: "key_verification",
    },
  },
  "lone surrogate": {
    others: "as sent",
    but: {
      "as sent, stays":
        "health_factor historical_allocations historical_apy_chart loan_detail revert_reason",
      confirmed: "swap",
      allowed: "key_verification",
    },
  },
  "lone surrogate in a text": {
    others: "as sent",
    but: {
      "does not apply":
        "annualized_apy collateral_excess fees health_factor historical_apy_chart key_verification otc_margin_requirements revert_reason unrealized_pnl unrealized_pnl_ratio withdrawals",
      "as sent, stays": "audit_log loan_detail",
      "record refused, gap": "historical_allocations",
      confirmed: "swap",
    },
  },
  "1e400": {
    others: "as sent",
    but: {
      "record refused":
        "audit_log collateral_simulation discount_factors permissions positions roles subaccount_summary unrealized_pnl whitelist_status",
      refused:
        "collateral_excess fees health_factor historical_apy_chart oracle_classification performance_fees timelocks",
      "as sent, stays": "loan_detail revert_reason",
      "record refused, gap": "historical_allocations unrealized_pnl_ratio",
      unknown: "swap",
      allowed: "key_verification",
    },
  },
  "a key twice": {
    others: "as sent",
    but: {
      complete: "historical_apy_chart oracle_classification revert_reason",
      "as sent, stays": "audit_log health_factor loan_detail",
      refused: "timelocks",
      "record refused, gap": "historical_allocations",
      confirmed: "swap",
      allowed: "key_verification",
    },
  },
  "depth 10,000": {
    others: "refused",
    but: {
      "refused, gap": "historical_allocations unrealized_pnl_ratio",
      unknown: "swap",
      unclear: "key_verification",
    },
  },
  "50 MB": {
    others: "failed: ResponseTooLarge",
    but: { unknown: "swap", unclear: "key_verification" },
  },
}

export const expectedOf = (endpoint: string, fault: string): string => {
  const { others = "nothing", but = {} } = expected[fault] ?? {}
  return Object.entries(but).find(([, names]) => names.split(" ").includes(endpoint))?.[0] ?? others
}
