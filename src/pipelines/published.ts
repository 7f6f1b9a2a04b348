// The published copy, for the commands that read.
export {
  type Answer,
  openPublishedCopy,
  type PublishedCopy,
  ReadError,
} from "../load/PublishedCopy.ts"
