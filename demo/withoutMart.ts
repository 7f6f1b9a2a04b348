// Why a table of core has no mart: each has one, or a line here; a test compares both with the list of tables.

/** By the table's name, without its schema. */
export const withoutMart: Readonly<Record<string, string>> = {
  vault_detail_metrics:
    "The same figures are in `vault_reported_metrics`, which `vault_latest` shows; those of a vault's own page are kept to compare.",
  vault_operators:
    "Who operates a vault is a list: `where is_current` of the table is the answer, and `valid_from` says since when.",
  vault_rewards:
    "Programs differ in their fields, which the document does not show (§2.10): nothing adds up across vaults.",
  vault_integrations:
    "Which receipt tokens a vault is used with is a list: `where is_current` of the table is the answer.",
  response_envelopes: "What stood around records in a response, for those who extend vaulthouse.",
  revert_reasons: "One reason for each transaction, read beside it in a worked question.",
  transactions:
    "The document shows no field of a transaction (§2.5): what fails is a worked question, what was moved is in `transfers` as sent.",
  subaccount_summary_loans:
    "The loans of `loan_book` once more, as summaries show them; kept to compare.",
  subaccount_loan_aggregates:
    "Sums of loans by token, which `loan_maturities` and `loan_utilisation` make from the loans themselves.",
  cefi_positions:
    "The document shows no field (§2.5) and no path; `subaccount_holdings` has the positions on exchanges of each summary.",
  subaccount_otc_positions:
    "One subaccount's part of `otc_positions`, for keys that can't read the whole; `subaccount_holdings` has those of each summary.",
  otc_positions: "Read by counterparty, and a worked question does that.",
  otc_margin_requirements: "Read by counterparty, beside the positions, in the same question.",
  whitelist_status: "Of use only beside what a subaccount holds, which a worked question shows.",
  collateral_simulations:
    "Answers to scenarios that the configuration names: each is read by its name, and none adds up.",
  collateral_simulation_tokens: "The tokens of those answers.",
  swaps: "What `swap` did, one row for each; `status` shows them.",
}
