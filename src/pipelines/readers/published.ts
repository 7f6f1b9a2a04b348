// The published copy, for the commands that read.
export {
  openPublishedCopy,
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
export { sqlFile } from "../../load/sql/sqlFile.ts"
