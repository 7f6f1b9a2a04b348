// The loan book, which tells the other pipelines what loans there are and who owes.
import { loans as endpoint } from "../../extract/endpoints/loans/loans.ts"
import { loanRows, loans } from "../../transform/tables/loans/loans.ts"
import { ask, snapshot } from "../walks/snapshot.ts"
import { once } from "../walks/targets.ts"

export const loansPipeline = snapshot({
  name: "loans",
  title: "Loan book",
  tables: [loans],
  endpoint,
  after: [],
  targets: once,
  questions: () => ask({}),
  rows: loanRows,
})
