// Moves a warehouse and says what is left to do.
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { UsageError } from "../../../domain/UsageError.ts"
import { absolute } from "../../../config/Config.ts"
import type { Kind } from "../../../config/settings/kinds.ts"
import { read as readValue } from "../../../config/read/read.ts"
import { readWarehouse } from "../../../config/secrets/secretUrl.ts"
import { move, type Moved } from "../../../pipelines/backup/move.ts"
import { type Place, placeOf } from "../../../pipelines/publication/warehouse.ts"
import { textOf } from "../../parse/arguments.ts"
import type { Arguments } from "../../parse/Command.ts"
import { wrongUse } from "../../parse/errors.ts"
import { execute, type Stopped } from "../../execute/execute.ts"
import { exitCodes } from "../../parse/exit.ts"
import { count, counted } from "../../../domain/values/numbers.ts"
import { printReport } from "../../execute/report.ts"
import { textTable } from "../../terminal/table.ts"

const stopped: Stopped = {
  code: exitCodes.interrupted,
  text: "vaulthouse: stopped; nothing was moved, and the warehouse is as it was\n",
}

export const runMove = (argv: Arguments) =>
  execute(
    argv,
    function* ({ settings }) {
      const from = placeOf(settings)
      const to = yield* targetOf(argv, from)
      const moved = yield* move(from, to)
      printReport(argv, moved, (all) => movedText(all, to))
    },
    stopped,
  )

/** As the setting `lake.data`. */
const location: Kind = { type: "location" }

/** The warehouse that --to and --lake-data name. */
const targetOf = (argv: Arguments, from: Place): Effect.Effect<Place, UsageError> => {
  const to = textOf(argv, "to")
  const advice = "Use `--to file`, or `--to ducklake:postgres://user@host:port/database`."
  if (to === undefined) {
    return wrongUse("Name the target with --to.", advice)
  }
  const target = readWarehouse(to)
  // Leaves out the value, which may contain a password.
  if (Result.isFailure(target)) {
    return wrongUse(`The value of --to ${target.failure}.`)
  }
  const text = textOf(argv, "lake-data")
  if (target.success === "file") {
    return text === undefined
      ? Effect.succeed({ ...from, warehouse: target.success })
      : wrongUse("--lake-data is for a lake, but --to is `file`.")
  }
  const read = text === undefined ? undefined : readValue(location, text, [])
  if (read !== undefined && Result.isFailure(read)) {
    return wrongUse(`--lake-data: ${read.failure.map(({ detail }) => detail).join("; ")}.`)
  }
  const lake =
    read === undefined
      ? from.lake
      : {
          extensions: undefined,
          ...from.lake,
          data: String(absolute(location, read.success, process.cwd())),
        }
  return Effect.succeed({
    ...from,
    warehouse: target.success,
    ...(lake === undefined ? {} : { lake }),
  })
}

const movedText = ({ from, to, rows, tables }: Moved, target: Place): string => {
  const filled = tables.filter((table) => table.rows > 0)
  const table = textTable(
    ["table", "rows"],
    filled.map((each) => [each.table, count(each.rows)]),
    { align: ["left", "right"] },
  )
  return `${table}

Moved ${counted(rows, "row")} of ${counted(filled.length, "table")} from ${from} to ${to}, and compared every row: all are equal. ${tables.length - filled.length} more tables are empty in both.

Nothing is switched yet. To use the new warehouse, set in the configuration file:
${settingsText(target)}
The old one stays as it is. What is read into it from now on is not in the new one, so change the setting before the next run.
`
}

const settingsText = ({ warehouse, lake }: Place): string => {
  if (warehouse === undefined || warehouse === "file") return "  warehouse: file\n"
  const data = lake?.data === undefined ? "" : `  lake:\n    data: ${lake.data}\n`
  return `  warehouse: the address given to --to (one with a password as \${NAME}, in the variable NAME)\n${data}`
}
