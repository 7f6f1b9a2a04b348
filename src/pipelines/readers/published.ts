// The published copy, for the commands that read.
export {
  openReader,
  type Reader,
  type ReaderLimits,
} from "../../load/published/read/reader/readers.ts"
export {
  type PublishedCopy,
  type QueryParameters,
  type QueryResult,
  ReadError,
} from "../../load/published/read/PublishedCopy.ts"
export {
  parameterNames,
  parametersIn,
  type QueryParameter,
  variablesIn,
} from "../../load/sql/queryParameter.ts"
export { splitStatements } from "../../load/published/read/reader/statementText.ts"
export { sqlFile } from "../../load/sql/sqlFile.ts"
