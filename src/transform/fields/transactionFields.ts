// What a transaction record tells of its hash and of its end; §2.5 shows no field.
import { type Reading, spellings } from "./takenFields.ts"

/** Hexadecimal hashes in lower case; others (Solana's are base58) as served. */
export const hash: Reading = {
  fields: spellings("transaction_hash", "tx_hash", "hash", "signature"),
  read: (value) => {
    if (typeof value !== "string" || value === "") return undefined
    const lower = /^0x[0-9a-f]+$/i.test(value) ? value.toLowerCase() : value
    return { value: lower, whole: lower === value }
  },
}

const failed = /^(failed|failure|fail|error|errored|reverted|revert|0|0x0)$/i
const succeeded = /^(success|successful|succeeded|ok|1|0x1)$/i

const told = (negated: boolean, ...names: ReadonlyArray<string>): Reading => ({
  fields: spellings(...names),
  read: (value) =>
    typeof value === "boolean" ? { value: value !== negated, whole: true } : undefined,
})

/** Whether it failed: said outright, or by a status that can mean nothing else; of others nothing is said. */
export const failure: ReadonlyArray<Reading> = [
  told(false, "is_failed", "failed", "is_error", "is_reverted", "reverted"),
  told(true, "success", "is_success", "succeeded", "is_successful", "successful"),
  {
    fields: spellings("status", "transaction_status", "tx_status", "receipt_status"),
    read: (value) => {
      const text = typeof value === "number" ? String(value) : value
      if (typeof text !== "string") return undefined
      if (failed.test(text)) return { value: true, whole: false }
      return succeeded.test(text) ? { value: false, whole: false } : undefined
    },
  },
]
