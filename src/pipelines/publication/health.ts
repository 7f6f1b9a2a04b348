// What is late, missing, in quarantine or failing in the warehouse, in `health.json`: written by every command that may
// change it, so that readers need neither the writer's file nor a publication.
import { join } from "node:path"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import {
  boolean,
  decodeRow,
  list,
  number,
  oneOf,
  optional,
  text,
} from "../../load/duckdb/decodeRow.ts"
import { writeDurably } from "../../domain/durableFiles.ts"
import { readStateFile } from "../../domain/stateFile.ts"
import { filesError } from "../../load/errors.ts"
import { sqlFile } from "../../load/sql/sqlFile.ts"
import { Warehouse } from "../../load/Warehouse.ts"

/** SQL of each section: warehouse/health/<section>.sql, which may read `listed`, `read_lately` and `readMarts`. Instants are ISO-8601 UTC. */
const sections = {
  /** Without the age, which depends on when it is read. */
  freshness: decodeRow({
    /** A series, or a pipeline that has none. */
    subject: text("subject"),
    pipeline: text("pipeline"),
    /** `undefined`: no fact yet. */
    newest_at: optional(text)("newest_at"),
    target_hours: number("target_hours"),
    /** Vaults that are not closed and whose newest fact is this one. */
    entities: number("entities"),
    /** The name of one of them. */
    example: optional(text)("example"),
  }),
  failing: decodeRow({
    pipeline: text("pipeline"),
    run_id: text("run_id"),
    tasks: number("tasks"),
    failed: number("failed"),
    /** Those of `failed` that the run did not request, because they keep failing. */
    waiting: number("waiting"),
    deferred: number("deferred"),
    is_refused: boolean("is_refused"),
    since: text("since"),
    failed_text: optional(text)("failed_text"),
    deferred_text: optional(text)("deferred_text"),
  }),
  gaps: decodeRow({
    pipeline: text("pipeline"),
    state: oneOf("open", "permanent")("state"),
    gaps: number("gaps"),
    /** Vaults, or whatever else is read separately. */
    entities: number("entities"),
    /** What is missing of some of them, such as `Willow USDC 7 2026-11-01 to 2026-11-09 and 2026-11-20 to 2026-11-23`. */
    ranges: list(text)("ranges"),
    since: text("since"),
    detail: text("detail"),
  }),
  quarantine: decodeRow({
    pipeline: text("pipeline"),
    entries: number("entries"),
    since: text("since"),
    json_path: text("json_path"),
    detail: text("detail"),
  }),
  failed_checks: decodeRow({
    name: text("name"),
    severity: oneOf("error", "warn")("severity"),
    failures: number("failures"),
    since: text("since"),
  }),
  run_ends: decodeRow({ outcome: text("outcome"), ended_at: text("ended_at") }),
} as const

/** Tables without which a section has no rows. */
const needs: Readonly<Record<string, ReadonlyArray<string>>> = {
  gaps: ["ops.gaps"],
  quarantine: ["ops.quarantine"],
  failed_checks: ["ops.check_results"],
}

type Sections = typeof sections

export type HealthRow<Section extends keyof Sections> = ReturnType<Sections[Section]>

export type Health = {
  readonly [Section in keyof Sections]: ReadonlyArray<HealthRow<Section>>
} & {
  /** When this was read from the warehouse. */
  readonly as_of: string
}

const fileOf = (dataDir: string): string => join(dataDir, "health.json")

/** Marts that a section reads by their SQL, because the views may still be those of an earlier version. */
const readMarts = ["freshness_targets", "apy_series", "vault_names"]

/** Files of warehouse/health that sections read by their names. */
const shared = ["listed", "read_lately"]

const sqlOf = (section: string): string => {
  const steps = [
    ...shared.map((name) => ["health", name]),
    ...readMarts.map((mart) => ["marts", mart]),
  ].map(([folder = "", name = ""]) => `${name} as (${sqlFile(folder, name)})`)
  return `with ${steps.join(", ")} from (${sqlFile("health", section)})`
}

/** Call it under the warehouse's lock, after what may have changed it. */
export const recordHealth = Effect.gen(function* () {
  const warehouse = yield* Warehouse
  const found = yield* Effect.forEach(Object.entries(sections), ([section, decode]) =>
    Effect.map(warehouse.rows(sqlOf(section), [], needs[section]), (rows) => [
      section,
      rows.map((row) => decode(row)),
    ]),
  )
  const as_of = new Date(yield* Clock.currentTimeMillis).toISOString()
  const health = { as_of, ...Object.fromEntries(found) }
  yield* Effect.tryPromise({
    try: () => writeDurably(fileOf(warehouse.dataDir), `${JSON.stringify(health)}\n`),
    catch: (cause) => filesError("Recording the state of the warehouse", cause),
  })
})

const rowsOfSection = Schema.Array(Schema.Record(Schema.String, Schema.Unknown))

const isHealth = Schema.is(
  Schema.Struct({
    as_of: Schema.String,
    ...Object.fromEntries(Object.keys(sections).map((section) => [section, rowsOfSection])),
  }),
)

/** As last recorded; `undefined` before the first run has ended, and where the file is damaged. */
export const readHealth = (dataDir: string): Effect.Effect<Health | undefined> =>
  readStateFile(
    fileOf(dataDir),
    (value) => {
      if (!isHealth(value)) throw new TypeError("not what recordHealth writes")
      return value as unknown as Health
    },
    "nothing is known of what is late, missing or failing; the next run writes it again",
  )
