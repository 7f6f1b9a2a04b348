// What becomes of each list of several pages that meets a fault between them, the first time that it is read.
export const expectedOfPages: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  "small pages": {
    audit_log: "retried",
    subaccount_directory: "retried",
    transactions: "retried",
  },
  // A list without a word for its end may be whole in page 1, and a service may ignore what page is requested.
  "page 2 is page 1 again": {
    audit_log: "refused",
    subaccount_directory: "as sent",
    transactions: "as sent, older ones out of reach",
  },
  "every page is page 1": {
    audit_log: "refused",
    subaccount_directory: "as sent",
    transactions: "as sent, older ones out of reach",
  },
  "page 2 before page 1": {
    audit_log: "as sent",
    subaccount_directory: "retried",
    transactions: "as sent",
  },
  // The time of the task ends; the pages until then are stored, but of a list that is replaced as a whole.
  "has_more for ever, with fresh pages": {
    audit_log: "failed: Timeout, stays",
    subaccount_directory: "failed: Timeout",
    transactions: "failed: Timeout, stays",
  },
}
