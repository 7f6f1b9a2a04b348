// The schemas of a publication: those of the views that readers use, one for each run, and vaulthouse's own.
import { identifier } from "../../sql/sql.ts"

export interface Names {
  /** The schema of the views in use, by the schema of the relation. */
  readonly inUse: (schema: string) => string
  readonly allInUse: ReadonlyArray<string>
  /** The schema of a publication. */
  readonly run: (number: number) => string
  readonly runPrefix: string
  /** The schema of the parts and of the table of publications. */
  readonly own: string
}

export const namesOf = (prefix: string): Names => ({
  inUse: (schema) => `${prefix}${schema}`,
  allInUse: ["core", "mart", "meta", "ops"].map((schema) => `${prefix}${schema}`),
  run: (number) => `${prefix}run_${number}`,
  runPrefix: `${prefix}run_`,
  own: `${prefix}vaulthouse`,
})

/** `core.vaults` as the name of a view in a run's schema. */
export const nameInRun = (relation: string): string => relation.replace(".", "_")

/** Quoted, with its schema. */
export const qualifiedName = (schema: string, name: string): string =>
  `${identifier(schema)}.${identifier(name)}`

export const partTable = (id: string): string => `part_${id}`
