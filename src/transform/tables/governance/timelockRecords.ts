// Maps timelocks, which two endpoints list. A timelock is identified by its id or else by its unchanging fields, so
// that a change of status is a new version and not a new timelock.
import { type Column, field, type Reader, spellings } from "../../../domain/table/column.ts"
import { type JsonObject, stableStringify } from "../../../domain/values/json.ts"
import type { Table } from "../../../domain/table/table.ts"
import { isTime, parseInstant } from "../../../domain/values/time.ts"
import type { VaultRef } from "../../../domain/subject/vault.ts"
import { contentKeys } from "../../contentKey.ts"
import { echoedFields } from "../../fields/echoedFields.ts"
import { id } from "../../fields/readers.ts"
import { contentOf, reportTimesOf, withoutReportTimes } from "../../fields/reportTimes.ts"
import { columnReader, namesOf } from "../../fields/wireNames.ts"
import { mapRecords, type MapOptions } from "../../mapRecords.ts"
import { keysInOrder } from "../../occurrences.ts"
import type { Mapped, Source } from "../../Source.ts"
import { restOfRecord, vaultAddress, vaultChainId } from "../shared.ts"

// Fields that change while a timelock waits or when it ends. Transaction hashes are among them because they may be of
// the execution, and one transaction may schedule several timelocks; labels, because they are the service's
// description.
const changing = new Set(
  spellings(
    "status",
    "state",
    "labels",
    "executable_at",
    // Null where the contract could not be read (§2.9).
    "delay",
    "delay_seconds",
    "duration",
    "duration_seconds",
    "min_delay",
    "executed_at",
    "executed_by",
    "cancelled_at",
    "canceled_at",
    "closed_at",
    "updated_at",
    "tx_hash",
    "transaction_hash",
  ),
)

/** A time too far in the future for the column ("9999-12-31") is null and stays in `extra`. */
const instantOrNever: Reader = (value) => {
  const micros = parseInstant(value)
  if (micros !== undefined) return { value: micros, isWhole: true }
  return isTime(value) ? { value: null, isWhole: false } : undefined
}

/** `named` marks columns whose fields the document names for the endpoint. */
export const timelockColumns = (
  named: Pick<Column, "isDocumented"> = {},
): ReadonlyArray<Column> => [
  vaultChainId,
  vaultAddress,
  field.text(
    "timelock_id",
    "The service's id of the timelock, else a hash of its unchanging fields, or of its labels if it has none, or of both if others have the same fields and other labels; `#2` and so on for repetitions, by `executable_at`",
    {
      names: ["id", "operation_id", "timelock_id", "request_id", "operation_hash"],
      read: id,
      required: true,
    },
  ),
  field.text("status", "`scheduled`, `executed` or `cancelled`", {
    names: ["status", "state"],
    accepted: ["scheduled", "executed", "cancelled"],
  }),
  field.timestamp("scheduled_at", "When it was scheduled", { isPast: true }),
  {
    ...field.timestamp(
      "executable_at",
      "Earliest time of execution: scheduled_at plus the contract's duration (§2.9). Null if the contract read failed (core.observation_warnings has a warning), if it is not sent, or if it is too far in the future for the column (extra has it then). Marts fall back to scheduled_at and delay_seconds",
      { read: instantOrNever },
    ),
    ...named,
  },
  // §2.9 names no field, so one must say its unit.
  field.integer("delay_seconds", "Wait from scheduled_at until it can be executed", {
    names: ["delay_seconds", "duration_seconds"],
    // A century: beyond it, marts have no time of execution.
    plausible: { from: 0, to: 3_155_760_000 },
    unit: "seconds",
  }),
  field.timestamp("closed_at", "When it was executed or cancelled", {
    names: ["closed_at", "executed_at", "cancelled_at"],
  }),
  { ...field.json("labels", "Labels, as sent"), ...named },
  ...restOfRecord,
]

/** One row for each timelock in every status. The records are the whole set of the vault. */
export const timelockRows = (
  table: Table,
  records: ReadonlyArray<JsonObject>,
  source: Source<VaultRef>,
  at?: MapOptions["at"],
): Mapped => {
  const mergeKey = { chain_id: source.subject.chainId, vault_address: source.subject.address }
  const reportTimes = reportTimesOf(table, source)
  const executableAt = columnReader(table, "executable_at", source)
  const keys = keysInOrder(
    identitiesOf(records, source.subject, reportTimes),
    // Of equal ones the newest comes last, so that those before it keep their keys.
    records.map((record) => {
      const micros = executableAt(record)
      const instant = micros === null ? "never" : String(micros).padStart(20, "0")
      return `${instant} ${contentOf(record, reportTimes)}`
    }),
    (identities) => contentKeys(identities, namesOf(table, "timelock_id", source), reportTimes),
  )
  return mapRecords({
    table,
    records,
    source,
    computed: { ...mergeKey, timelock_id: keys },
    mergeKey,
    ...(at === undefined ? {} : { at }),
  })
}

/**
 * The unchanging fields of a record. If it has none, as one with only the fields of §2.9, its labels: its place in the list
 * shifts with each new timelock, and executable_at is null whenever the contract can't be read.
 */
const identifying = (
  record: JsonObject,
  vault: VaultRef,
  reportTimes: ReadonlySet<string>,
): JsonObject => {
  const unchanging = without(record, changing)
  const echoed = new Set(echoedFields(record, vault))
  const own = without(withoutReportTimes(unchanging, reportTimes), echoed)
  return Object.keys(own).length > 0 ? unchanging : { labels: record["labels"] }
}

/**
 * The identity of each record. Where others have the same one and other labels, as those that were scheduled at once, its
 * labels are a part of it: a number would pass to another record when one is added. Only the first one, which was alone until
 * then, gets another identity once.
 */
const identitiesOf = (
  records: ReadonlyArray<JsonObject>,
  vault: VaultRef,
  reportTimes: ReadonlySet<string>,
): ReadonlyArray<JsonObject> => {
  const found = records.map((record) => {
    const identity = identifying(record, vault, reportTimes)
    const labels = record["labels"] ?? null
    const labelsText = stableStringify(labels)
    return { identity, text: contentOf(identity, reportTimes), labels, labelsText }
  })
  const sharing = Map.groupBy(found, ({ text }) => text)
  return found.map(({ identity, text, labels, labelsText }) =>
    sharing.get(text)?.some((other) => other.labelsText !== labelsText) === true
      ? { ...identity, labels }
      : identity,
  )
}

const without = (record: JsonObject, names: ReadonlySet<string>): JsonObject =>
  Object.fromEntries(Object.entries(record).filter(([name]) => !names.has(name)))
