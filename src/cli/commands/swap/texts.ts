// What the swap command prints: the request, its outcome, and the recorded swaps.
import { MILLIS_PER_DAY } from "../../../domain/values/time.ts"
import type { SwapOutcome } from "../../../pipelines/service/swap.ts"
import type { JournalledSwap } from "../../../pipelines/service/swapJournal.ts"
import { paint } from "../../terminal/color.ts"
import { textTable } from "../../terminal/table.ts"

export const requestText = (
  { method, body }: { readonly method: string; readonly body: string | undefined },
  url: string,
): string =>
  [
    `${method} ${url}`,
    ...Object.entries(JSON.parse(body ?? "{}") as Record<string, unknown>).map(
      ([name, value]) => `  ${name.padEnd(18)} ${JSON.stringify(value)}`,
    ),
  ].join("\n")

/** How to find the outcome of a swap without a response, from a day before this machine sent it: transactions have others' time. */
const howToFindOut = (subaccount: string, requestedAt: string): string => {
  const since = new Date(Date.parse(requestedAt) - MILLIS_PER_DAY).toISOString()
  return [
    "Before doing anything else, check the subaccount's transactions, where the swap may be listed some minutes late:",
    `  vaulthouse call transactions --param subaccountAddress=${subaccount} --param startTime=${since}`,
  ].join("\n")
}

export const outcomeText = (outcome: SwapOutcome): string => {
  const { swapId, state, response, status, error, subaccount, requestedAt } = outcome
  const reason = error ?? "no response"
  switch (state) {
    case "confirmed":
      return `${JSON.stringify(response, null, 2)}\n${paint("Swapped", "good")}: the service confirmed it (swap ${swapId}).\n`
    case "refused":
      return `${paint("The service refused:", "bad")} ${reason}\nNothing was swapped (swap ${swapId}).\n`
    case "unknown":
      return [
        `${paint("UNKNOWN", "warning")} whether it was swapped (swap ${swapId}): ${reason}`,
        ...(response === null ? [] : [`The response: ${JSON.stringify(response)}`]),
        `The request was sent once${status === null ? ", without a response" : ""}, and is not sent again. It may have been executed.`,
        howToFindOut(subaccount, requestedAt),
        "",
      ].join("\n")
  }
}

export const journalText = (swaps: ReadonlyArray<JournalledSwap>): string => {
  if (swaps.length === 0) return "No swap was sent yet.\n"
  const rows = swaps.map((swap) => [
    swap.requestedAt,
    swap.state,
    swap.subaccount,
    amountText(swap.request, "source"),
    amountText(swap.request, "destination"),
    swap.transactionHash ?? swap.error ?? "",
  ])
  const head = ["requested at", "state", "subaccount", "from", "to", "transaction or error"]
  const table = textTable(head, rows, { outcomes: ["state"] })
  const unknown = swaps.find(({ state }) => state === "unknown")
  return unknown === undefined
    ? `${table}\n`
    : `${table}\n\nUnknown: the request was sent, and no response says whether it was executed. ${howToFindOut(unknown.subaccount, unknown.requestedAt)}\n`
}

const amountText = (
  request: Readonly<Record<string, unknown>>,
  side: "source" | "destination",
): string =>
  [request[`${side}_amount`] ?? "", request[`${side}_token`], "on", request[`${side}_chain`]]
    .map(String)
    .join(" ")
    .trim()
