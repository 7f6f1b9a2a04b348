// The published copy, for the commands that read.
export {
  openPublishedCopy,
  type PublishedCopy,
  type QueryParameters,
  type QueryResult,
  ReadError,
} from "../../load/PublishedCopy.ts"
export {
  parameterNames,
  parametersIn,
  type QueryParameter,
  variablesIn,
} from "../../load/queryParameter.ts"
export { sqlFile } from "../../load/sqlFile.ts"
