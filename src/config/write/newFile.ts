// The text of a new configuration file: the chosen settings, and other useful ones as comments.
import { Document } from "yaml"
import { type SettingName, settingOf } from "../settings/settings.ts"
import { API_KEY, API_KEY_FILE } from "../settings/Setting.ts"

/** The settings that a new file sets, in this order. */
export const chosenSettings = ["baseUrl", "platformSegment", "dataDir"] as const

export type Chosen = Readonly<Record<(typeof chosenSettings)[number], string>>

/** Examples of other settings, valid without the `# ` before each line. */
const examples = {
  vaults: `vaults:\n  exclude: ["0x0000000000000000000000000000000000000001"] # or include`,
  maxRequestsPerSecond: "maxRequestsPerSecond: 5",
  overlapDays: "overlapDays: 3",
  schedule: `schedule:\n  hourly: "7 * * * *" # in UTC\n  daily: "37 3 * * *"`,
  notify: "notify:\n  - webhook: ${SLACK_WEBHOOK} # an environment variable with the address",
  publishedMode: `publishedMode: "0640"`,
  parquet: "parquet:\n  enabled: false",
} as const satisfies Partial<Record<SettingName, string>>

/** `schema`: where editors find the JSON Schema, as a path or an address. */
export const newConfigFile = (chosen: Chosen, schema: string): string =>
  [
    `# yaml-language-server: $schema=${schema}`,
    "# Settings of vaulthouse. `vaulthouse config` shows all of them with their values, `vaulthouse config check`",
    "# finds mistakes in this file.",
    "#",
    `# The API key does not belong here: set ${API_KEY}, or ${API_KEY_FILE} to the path of`,
    "# a file with the key.",
    ...chosenSettings.map((name) => `\n# ${describe(name)}.\n${yamlLine(name, chosen[name])}`),
    "\n# Settings to change if needed, shown by example:",
    ...Object.entries(examples).map(
      ([name, example]) =>
        `\n# ${describe(name as keyof typeof examples)}.\n${example.replaceAll(/^/gm, "# ")}`,
    ),
    "",
  ].join("\n")

const describe = (name: SettingName): string => settingOf(name).describe

const yamlLine = (name: string, value: string): string =>
  new Document({ [name]: value }).toString({ lineWidth: 0 }).trimEnd()
