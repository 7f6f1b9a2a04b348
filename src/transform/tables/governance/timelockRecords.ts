// Timelocks as two endpoints tell of them: one row a timelock, known by its id or else by what does not change
// while it waits, so that a change of status is a new version and not a new timelock.
import type { JsonObject } from "../../../domain/json.ts"
import type { Column, Table } from "../../../domain/table.ts"
import type { VaultRef } from "../../../domain/vault.ts"
import { contentKeys } from "../../contentKey.ts"
import { mapCurrent } from "../../mapCurrent.ts"
import type { Mapped } from "../../mapRecords.ts"
import type { Source } from "../../Source.ts"
import { chainId, extra, reportedAt, reportedTimes, vaultAddress } from "../shared.ts"

// Not shown (§2.9).
const idFields = [
  "id",
  "operation_id",
  "operationId",
  "timelock_id",
  "timelockId",
  "request_id",
  "requestId",
  "operation_hash",
  "operationHash",
]

// Not shown (§2.9); a contract's delay is counted in seconds. Another unit or spelling stays in `extra`.
const delayFields = [
  "delay_seconds",
  "delaySeconds",
  "delay",
  "duration_seconds",
  "durationSeconds",
  "duration",
]

// What comes or changes while a timelock waits and when it ends. A transaction hash may be that of its
// execution, and one transaction may schedule several; labels are the service's own gloss.
const changing =
  /status|state|labels|execut|cancel|closed|updated|ready|remaining|block|tx_?hash|transaction_?hash|^eta$/i

export const timelockColumns: ReadonlyArray<Column> = [
  { ...chainId, required: true },
  vaultAddress,
  {
    name: "timelock_id",
    type: "text",
    required: true,
    comment:
      "The service's id of the timelock, `#2` and on for further records of one; else a digest of what does not change about it",
  },
  {
    name: "status",
    type: "text",
    fields: ["status", "state"],
    comment: "`scheduled`, `executed` or `cancelled`",
  },
  {
    name: "scheduled_at",
    type: "timestamp",
    unit: "UTC",
    fields: ["scheduled_at", "scheduledAt"],
    comment: "When it was scheduled",
  },
  {
    name: "executable_at",
    type: "timestamp",
    unit: "UTC",
    fields: ["executable_at", "executableAt"],
    comment:
      "From when it can be executed, as the service tells it: by §2.9 scheduled_at and the contract's duration. Null where that read failed (a warning in core.observation_warnings), where it is not served, and where it is a time too far off for the column (then in extra). Marts fall back on scheduled_at and delay_seconds",
  },
  {
    name: "delay_seconds",
    type: "integer",
    unit: "seconds",
    fields: delayFields,
    comment:
      "How long it waits from scheduled_at before it can be executed, where a record tells it as a whole number",
  },
  {
    name: "labels",
    type: "json",
    fields: ["labels"],
    comment: "Labels, as served",
  },
  reportedAt,
  reportedTimes,
  extra,
]

/** All timelocks of a vault in every status: those that no longer come have ended. */
export const timelockRows = (
  table: Table,
  records: ReadonlyArray<JsonObject>,
  { origin, subject }: Source<VaultRef>,
): Mapped => {
  const scope = { chain_id: subject.chainId, vault_address: subject.address }
  const keys = contentKeys(
    records.map((record) => filtered(record, (name) => !changing.test(name))),
    idFields,
  )
  const mapped = mapCurrent({
    table,
    // An id that is the key need not be kept twice.
    records: records.map((record, index) =>
      withDelaysAsNumbers(
        filtered(record, (name, value) => !(idFields.includes(name) && value === keys[index])),
      ),
    ),
    origin,
    computed: { ...scope, timelock_id: keys },
  })
  return { ...mapped, rows: { ...mapped.rows, scope } }
}

const filtered = (
  record: JsonObject,
  keep: (name: string, value: unknown) => boolean,
): JsonObject =>
  Object.fromEntries(Object.entries(record).filter(([name, value]) => keep(name, value)))

/** Numbers read from a contract often come as text. */
const withDelaysAsNumbers = (record: JsonObject): JsonObject =>
  Object.fromEntries(
    Object.entries(record).map(([name, value]) => [
      name,
      delayFields.includes(name) && typeof value === "string" && /^\d{1,9}$/.test(value)
        ? Number(value)
        : value,
    ]),
  )
