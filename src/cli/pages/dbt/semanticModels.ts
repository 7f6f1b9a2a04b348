// The marts' measures as dbt models, semantic models and metrics, for MetricFlow and other readers of dbt's manifest.
import { Document } from "yaml"
import {
  type DictionaryColumn,
  type DictionaryEntry,
  dictionary,
  isRelation,
} from "../../../pipelines/readers/dictionary.ts"
import { dbtYaml } from "./sources.ts"

/** A semantic model needs a dbt model, so each mart with a measure has one. SQL by file name. */
export const dbtModels = (): Readonly<Record<string, string>> =>
  Object.fromEntries(
    measuredMarts().map((mart) => [
      `${modelName(mart)}.sql`,
      `-- Written by \`make docs\` from the data dictionary.\nselect * from {{ source('mart', '${modelName(mart)}') }}\n`,
    ]),
  )

/** YAML of deploy/dbt/models/semantic_models.yml. */
export const dbtSemanticModels = (): string => {
  const marts = measuredMarts()
  return dbtYaml(
    new Document(
      {
        version: 2,
        models: marts.map((mart) => ({ name: modelName(mart), description: about(mart) })),
        semantic_models: marts.map(semanticModel),
        metrics: marts.flatMap((mart) =>
          mart.columns.filter(isMeasured).map((column) => metric(column)),
        ),
      },
      { aliasDuplicateObjects: false },
    ),
  )
}

const measuredMarts = (): ReadonlyArray<DictionaryEntry> =>
  dictionary().filter((entry) => isRelation(entry) && entry.columns.some(isMeasured))

/** Not `day`, which MetricFlow reserves. */
const TIME = "fact_day"

const modelName = ({ name }: DictionaryEntry): string => name.slice(name.indexOf(".") + 1)
const about = ({ comment, grain }: DictionaryEntry): string => `${comment} One row per ${grain}.`
const isMeasured = ({ measure }: DictionaryColumn): boolean => measure !== undefined
const isRatio = ({ measure }: DictionaryColumn): boolean => typeof measure === "object"

const isCategory = ({ name, type }: DictionaryColumn): boolean =>
  type === "varchar" || type === "boolean" || name === "chain_id"

/** The key's day, else the mart's first day or instant. */
const timeOf = ({ name, key, columns }: DictionaryEntry): DictionaryColumn => {
  const times = columns.filter(({ type }) => type === "date" || type === "timestamp")
  const time = times.find((column) => key.includes(column.name)) ?? times.at(0)
  if (time === undefined) throw new Error(`${name} has a measure, but no day or instant`)
  return time
}

/** Vaults and subaccounts, whose addresses join the metrics of two marts. */
const entitiesOf = ({ key }: DictionaryEntry) =>
  key
    .filter((column) => column.endsWith("_address"))
    .map((column) => ({ name: column.replace(/_address$/, ""), type: "foreign", expr: column }))

const semanticModel = (mart: DictionaryEntry) => {
  const time = timeOf(mart)
  const entities = entitiesOf(mart)
  return {
    name: modelName(mart),
    description: about(mart),
    model: `ref('${modelName(mart)}')`,
    defaults: { agg_time_dimension: TIME },
    primary_entity: modelName(mart),
    entities,
    dimensions: [
      {
        name: TIME,
        type: "time",
        description: time.comment,
        expr: `cast(${time.name} as date)`,
        type_params: { time_granularity: "day" },
      },
      ...mart.columns
        .filter(isCategory)
        .map(({ name, comment }) => ({ name, type: "categorical", description: comment })),
    ],
    measures: mart.columns
      .filter((column) => isMeasured(column) && !isRatio(column))
      .map(({ name, comment, unit, measure }) => ({
        name,
        description: withUnit(comment, unit),
        agg: aggregations[measure as keyof typeof aggregations],
        ...(measure === "newest" && {
          non_additive_dimension: {
            name: TIME,
            window_choice: "max",
            window_groupings: entities.map((entity) => entity.name),
          },
        }),
      })),
  }
}

const aggregations = {
  sum: "sum",
  newest: "sum",
  average: "average",
  minimum: "min",
  maximum: "max",
} as const

const metric = ({ name, comment, unit, measure }: DictionaryColumn) => ({
  name,
  label: name.replaceAll("_", " "),
  description: withUnit(comment, unit),
  ...(typeof measure === "object"
    ? {
        type: "ratio",
        type_params: { numerator: measure.ratio[0], denominator: measure.ratio[1] },
      }
    : { type: "simple", type_params: { measure: name } }),
})

const withUnit = (comment: string, unit: string | undefined): string =>
  unit === undefined ? comment : `${comment} [${unit}]`
