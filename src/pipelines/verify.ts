// What `verify` checks, for the command: files against the manifest, the published copy against both.
export { type Finding, verify } from "../load/verify.ts"
