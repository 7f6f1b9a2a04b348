// The one way to find out whether something has changed since it was made: a fingerprint of what it was made from is stored
// with it and compared later. Rows are compared in SQL, where they are.
import { createHash } from "node:crypto"

/** SHA-256 of the parts in their order: text as it is, anything else as JSON. */
export const fingerprint = (...parts: ReadonlyArray<unknown>): string =>
  createHash("sha256")
    .update(parts.map((part) => (typeof part === "string" ? part : json(part))).join("\0"))
    .digest("hex")

/** `null` for undefined, which is no JSON: it counts as a part too. */
const json = (part: unknown): string => JSON.stringify(part) ?? "null"
