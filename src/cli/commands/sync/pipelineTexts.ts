// The results of a run by pipeline: those with news have a row each, the others share lines.
import { causeOf, reasonOf } from "../../../domain/values/errorText.ts"
import { isFailure, type RecordedOutcome } from "../../../domain/run/outcome.ts"
import type { PipelineSummary } from "../../../pipelines/model/progress.ts"
import { paint } from "../../terminal/color.ts"
import { count, counted } from "../../../domain/values/numbers.ts"
import { textTable } from "../../terminal/table.ts"
import { firstLines, paragraph, terminalWidth } from "../../terminal/terminal.ts"

type Pipelines = ReadonlyArray<PipelineSummary>

const newsOf = ({ rowsInserted, rowsRevised }: PipelineSummary): number =>
  rowsInserted + rowsRevised

const sum = (pipelines: Pipelines, figure: (pipeline: PipelineSummary) => number): number =>
  pipelines.reduce((total, pipeline) => total + figure(pipeline), 0)

const tasksOf = (
  { outcomes }: PipelineSummary,
  ...wanted: ReadonlyArray<RecordedOutcome>
): number => wanted.reduce((total, outcome) => total + (outcomes[outcome] ?? 0), 0)

const failuresOf = ({ outcomes }: PipelineSummary): number =>
  (Object.entries(outcomes) as Array<[RecordedOutcome, number]>).reduce(
    (total, [outcome, tasks]) => total + (isFailure(outcome) ? tasks : 0),
    0,
  )

const MAX_NAMES = 4

const namesOf = (pipelines: Pipelines): string =>
  pipelines.length > MAX_NAMES
    ? counted(pipelines.length, "pipeline")
    : pipelines.map(({ name }) => name).join(", ")

/** A table of the pipelines that loaded the most; the rest share a row. */
export const landedTable = (
  pipelines: Pipelines,
  max: number,
  width: number = terminalWidth(),
): ReadonlyArray<string> => {
  const landed = pipelines
    .filter((pipeline) => newsOf(pipeline) > 0)
    .toSorted((a, b) => newsOf(b) - newsOf(a))
  if (landed.length === 0) return []
  // A row "1 other" would take as much room as that pipeline's own.
  const shown = landed.length <= max + 1 ? landed : landed.slice(0, max)
  const rest = landed.slice(shown.length)
  const cells = (name: string, group: Pipelines): ReadonlyArray<string> => [
    name,
    count(sum(group, ({ rowsInserted }) => rowsInserted)),
    count(sum(group, ({ rowsRevised }) => rowsRevised)),
    count(sum(group, ({ requests }) => requests)),
  ]
  return textTable(
    ["pipeline", "new rows", "revised", "requests"],
    [
      ...shown.map((pipeline) => cells(pipeline.name, [pipeline])),
      ...(rest.length === 0 ? [] : [cells(`… ${rest.length} others`, rest)]),
    ],
    { align: ["left", "right", "right", "right"], width },
  ).split("\n")
}

const isRead = (pipeline: PipelineSummary): boolean =>
  tasksOf(pipeline, "loaded", "unchanged", "empty", "suspicious_empty", "unsupported") > 0

/** One line for the pipelines that were read without news, or had nothing to read. */
export const quietText = (pipelines: Pipelines): ReadonlyArray<string> => {
  const quiet = pipelines.filter(
    (pipeline) =>
      newsOf(pipeline) === 0 && failuresOf(pipeline) === 0 && pipeline.skipped === undefined,
  )
  const unchanged = quiet.filter((pipeline) => tasksOf(pipeline, "loaded", "unchanged") > 0)
  const empty = quiet.filter((pipeline) => isRead(pipeline) && !unchanged.includes(pipeline))
  const idle = quiet.filter((pipeline) => !isRead(pipeline) && tasksOf(pipeline, "deferred") === 0)
  const parts = [
    ...(unchanged.length === 0 ? [] : [`Unchanged: ${namesOf(unchanged)}.`]),
    ...(empty.length === 0 ? [] : [`Empty: ${namesOf(empty)}.`]),
    ...(idle.length === 0 ? [] : [`Nothing to read: ${namesOf(idle)}.`]),
  ]
  return parts.length === 0 ? [] : linesOf(parts.join(" "))
}

/** The reason without the name of a setting, which differs by pipeline. */
const sharedReason = (reason: string): string =>
  reason.replace(/\(paths\.\w+\)/, "(setting `paths`)")

const skipReasonOf = ({ skipped }: PipelineSummary): string => reasonOf(skipped ?? "")

/** The skipped pipelines: a line for each reason. */
export const skippedText = (pipelines: Pipelines, max: number): ReadonlyArray<string> => {
  const skipped = pipelines.filter(
    (pipeline) => pipeline.skipped !== undefined && newsOf(pipeline) === 0,
  )
  const groups = [
    ...Map.groupBy(skipped, (pipeline) => sharedReason(skipReasonOf(pipeline))).entries(),
  ].map(
    ([shared, group]) =>
      `${namesOf(group)}: ${group.length === 1 ? group.map(skipReasonOf).join("") : shared}`,
  )
  if (groups.length === 0) return []
  const [only] = groups
  if (groups.length === 1 && only !== undefined) {
    return linesOf(`Skipped: ${only}.`)
  }
  if (groups.length > max) {
    return linesOf(`Skipped: ${namesOf(skipped)}, for ${counted(groups.length, "reason")}.`)
  }
  return [paint("Skipped:", "aside"), ...groups.flatMap((group) => linesOf(`  ${group}`, 4))]
}

const MAX_ERROR_LINES = 2

/** The errors: equal ones once, with the names of their pipelines. */
export const errorsText = (pipelines: Pipelines, max: number): ReadonlyArray<string> => {
  const errors = pipelines.flatMap(({ name, firstErrors }) =>
    firstErrors.map((error) => ({ name, error })),
  )
  if (errors.length === 0) return []
  const groups = [...Map.groupBy(errors, ({ error }) => causeOf(error)).values()]
  const more = groups.length - max
  return [
    paint(`Errors in ${counted(sum(pipelines, failuresOf), "task")}:`, "bad"),
    ...groups.slice(0, max).flatMap((same) => {
      const failed = pipelines.filter(({ name }) => same.some((each) => each.name === name))
      return truncated(`  ${failedNames(failed, pipelines)}: ${same[0]?.error ?? ""}`)
    }),
    ...(more > 0 ? [`  … and ${count(more)} more`] : []),
  ]
}

/** Names would leave no room for the reason where there are many. */
const failedNames = (failed: Pipelines, all: Pipelines): string => {
  if (failed.length <= MAX_NAMES) return namesOf(failed)
  const tried = all.filter((pipeline) => isRead(pipeline) || failuresOf(pipeline) > 0)
  return `${failed.length === tried.length ? "all " : ""}${namesOf(failed)}`
}

const truncated = (text: string): ReadonlyArray<string> =>
  firstLines(linesOf(text, 4), MAX_ERROR_LINES, terminalWidth())

const linesOf = (text: string, indent = 0): ReadonlyArray<string> =>
  paragraph(text, indent).split("\n")
