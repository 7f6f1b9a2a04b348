// The tools of the MCP server: what each does, takes and returns, as an assistant reads it.
import * as Schema from "effect/Schema"
import * as Tool from "effect/ai/Tool"
import * as Toolkit from "effect/ai/Toolkit"

const Rows = Schema.Array(Schema.Record(Schema.String, Schema.Json))

/** Text that anyone can send, which messages repeat and names are compared with. */
const textUpTo = (length: number) => Schema.String.check(Schema.isMaxLength(length))

const Name = textUpTo(200)
const Value = textUpTo(2000)

/** A refusal: its message is the text of the result, so that the assistant can do something about it. */
export class Refused extends Schema.TaggedError<Refused>()("Refused", {
  message: Schema.String,
}) {}

const failure = { failure: Refused } as const

const reading = <T extends Tool.Any>(tool: T): T =>
  tool
    .annotate(Tool.Readonly, true)
    .annotate(Tool.Destructive, false)
    .annotate(Tool.OpenWorld, false)
    // An argument under another name would be left out, and the answer be that of the default.
    .annotate(Tool.Strict, true) as T

export const tools = Toolkit.make(
  reading(
    Tool.make("list_tables", {
      description:
        "The tables that can be queried, each with what it holds. Begin with schema mart: figures computed from core, which is what the service said.",
      parameters: Schema.Struct({
        schema: Schema.optionalKey(Schema.Literals(["mart", "core", "meta", "ops", "raw"])),
      }),
      success: Schema.Struct({
        tables: Schema.Array(Schema.Struct({ table: Schema.String, meaning: Schema.String })),
        functions: Schema.Array(Schema.String),
      }),
      ...failure,
    }),
  ),
  reading(
    Tool.make("describe_table", {
      description: "The columns of a table: type, unit and meaning of each.",
      parameters: Schema.Struct({
        table: Name.annotate({ description: "Such as mart.vault_latest" }),
      }),
      success: Schema.Struct({
        table: Schema.String,
        meaning: Schema.String,
        columns: Schema.Array(
          Schema.Struct({ name: Schema.String, type: Schema.String, meaning: Schema.String }),
        ),
      }),
      ...failure,
    }),
  ),
  reading(
    Tool.make("worked_questions", {
      description:
        "Questions that analysts have asked, each with the SQL that answers it, tested. Without a name, the list of questions; with one, its SQL, whose comments say how to read the answer and which parameters it has.",
      parameters: Schema.Struct({ name: Schema.optionalKey(Name) }),
      success: Schema.Struct({ questions: Rows }),
      ...failure,
    }),
  ),
  reading(
    Tool.make("query", {
      description:
        "Runs one SELECT in DuckDB's dialect on the published copy, read-only and with limits on time and memory. Values for $name and getvariable('name') go into parameters: days as 2026-05-31. cut_by is not null if a limit cut the result short.",
      parameters: Schema.Struct({
        sql: Schema.String,
        parameters: Schema.optionalKey(Schema.Record(Schema.String, Schema.String)),
        max_rows: Schema.optionalKey(
          Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 1000 })).annotate({
            description: "200 if it is left out",
          }),
        ),
      }),
      success: Schema.Struct({
        run_id: Schema.String,
        columns: Schema.Array(Schema.Struct({ name: Schema.String, type: Schema.String })),
        rows: Schema.Array(Schema.Array(Schema.Json)),
        cut_by: Schema.NullOr(Schema.Literals(["rows", "size"])),
      }),
      ...failure,
    }),
  ),
  reading(
    Tool.make("trace", {
      description:
        "Where a figure comes from: the row of a table or mart, the rows it derives from, the run that wrote each, and the archived response of the service with the part that holds the figure.",
      parameters: Schema.Struct({
        table: Name.annotate({ description: "Such as mart.vault_latest" }),
        column: Schema.optionalKey(Name),
        vault_address: Schema.optionalKey(Name),
        at: Schema.optionalKey(
          Name.annotate({ description: "An instant of the key, ISO-8601 UTC" }),
        ),
        key: Schema.optionalKey(Schema.Record(Schema.String, Value)),
      }),
      success: Schema.Struct({ trace: Schema.Json }),
      ...failure,
    }),
  ),
  reading(
    Tool.make("status", {
      description:
        "How current and complete the warehouse is: problems with what to do about each (null where none are recorded, which does not mean that there are none), the age of each series against its target without closed vaults, and the publication that the other tools read.",
      success: Schema.Struct({ status: Schema.Json }),
      ...failure,
    }),
  ),
)
