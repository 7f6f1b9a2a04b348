// One setting: what it accepts, where it can be set, its default, and who needs it.
import type { NeededBy } from "../../domain/neededBy.ts"
import type { Kind } from "./kinds.ts"

export interface Setting {
  readonly kind: Kind
  readonly describe: string
  /** In docs/cli.md. */
  readonly neededBy: NeededBy
  /** The flag that sets it; the name of its environment variable derives from the flag. */
  readonly flag?: string
  /** A conventional variable (`NO_COLOR`): any content means `false`. */
  readonly offVariable?: string
  /** One that means `true`, unless it is `0` or `false`; `offVariable` overrides it. */
  readonly onVariable?: string
  /** Settings about the configuration file itself can't be in it. */
  readonly inFile?: false
  readonly default: unknown
  /** The default in words, if the value says little. */
  readonly defaultText?: string
}

/** `VAULTHOUSE_BASE_URL` for `--base-url`; `undefined` for a setting that only the file can have. */
export const environmentName = ({ flag }: Setting): string | undefined =>
  flag === undefined ? undefined : `VAULTHOUSE_${flag.replaceAll("-", "_").toUpperCase()}`

export const API_KEY = "VAULTHOUSE_API_KEY"
export const API_KEY_FILE = "VAULTHOUSE_API_KEY_FILE"
