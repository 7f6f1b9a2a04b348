// The published copy, for the commands that read.
export {
  openPublishedCopy,
  type PublishedCopy,
  type QueryParameters,
  type QueryResult,
  ReadError,
} from "../../load/PublishedCopy.ts"
export { type QueryParameter, variablesIn } from "../../load/queryParameter.ts"
