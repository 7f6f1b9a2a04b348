// How each view and macro of schema mart, and each part of schema meta, is made. Reads their files when it is imported.
import { type Table } from "../../domain/table/table.ts"
import { fingerprint } from "../../domain/values/fingerprint.ts"
import { asOfMacros, asOfMacroStatements } from "./asOf.ts"
import { martMacros, martMacroStatements } from "./martMacros.ts"
import { marts, martStatements } from "./marts.ts"
import { metaDefinitions } from "./metaDefinitions.ts"

export interface Definition {
  /** With its schema. */
  readonly name: string
  readonly statements: ReadonlyArray<string>
  readonly fingerprint: string
}

const define = (name: string, statements: ReadonlyArray<string>): Definition => ({
  name,
  statements,
  fingerprint: fingerprint(...statements),
})

export const martDefinitions = (tables: ReadonlyArray<Table>): ReadonlyArray<Definition> => [
  ...marts.map((mart) => define(`mart.${mart.name}`, martStatements(mart))),
  ...martMacros.map((mart) => define(`mart.${mart.name}`, martMacroStatements(mart))),
  ...asOfMacros(tables).map((macro) => define(`mart.${macro.name}`, asOfMacroStatements(macro))),
  ...metaDefinitions(tables).map(({ name, statements }) => define(name, statements)),
]
