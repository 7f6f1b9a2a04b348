// The published copy, for the commands that read.
export {
  type Answer,
  openPublishedCopy,
  type PublishedCopy,
  type QueryParameters,
  ReadError,
} from "../../load/PublishedCopy.ts"
export type { QueryParameter } from "../../load/queryParameter.ts"
