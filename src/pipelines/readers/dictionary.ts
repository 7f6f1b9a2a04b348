// The data dictionary of all tables and marts; its types, because commands and pages import nothing of src/load.
import { type DictionaryEntry, dictionaryOf } from "../../load/marts/dictionary.ts"
import { tables } from "../pipelines.ts"

export type { DictionaryColumn, DictionaryEntry } from "../../load/marts/dictionary.ts"

export { isRelation } from "../../load/marts/dictionary.ts"

export const dictionary = (): ReadonlyArray<DictionaryEntry> => dictionaryOf(tables)
