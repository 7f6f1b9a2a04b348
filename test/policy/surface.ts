// What docs/policy.md promises to keep, a line each. node test/policy/surface.ts >test/fixtures/surface/VERSION.txt
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { commands } from "../../src/cli/commands/index.ts"
import { exitCodes } from "../../src/cli/parse/exit.ts"
import { globalFlags } from "../../src/cli/parse/globalFlags.ts"
import { SERVE_TOKEN } from "../../src/config/secrets/serveToken.ts"
import { API_KEY, API_KEY_FILE, environmentName } from "../../src/config/settings/Setting.ts"
import { settingNames, settingOf } from "../../src/config/settings/settings.ts"
import { dictionary } from "../../src/pipelines/readers/dictionary.ts"

/** Tables of `ops` that pages name for readers; the others, and `raw`, are vaulthouse's own. */
const ofOps = ["runs", "tasks", "gaps", "quarantine", "schema_drift", "check_results"]

const isPromised = (name: string): boolean =>
  /^(core|mart|meta)\./.test(name) || ofOps.some((table) => name === `ops.${table}`)

const relations = () =>
  dictionary()
    .filter(({ name }) => isPromised(name))
    .flatMap(({ name, parameters, asOf, columns }) => [
      ...(asOf === undefined ? [] : [`macro ${asOf}`]),
      ...(parameters.length === 0 ? [] : [`macro ${name}(${parameters.join(", ")})`]),
      ...columns.map((column) => `column ${name}.${column.name} ${column.databaseType}`),
    ])

const settings = () =>
  settingNames.flatMap((name) => {
    const variable = environmentName(settingOf(name))
    return [`setting ${name}`, ...(variable === undefined ? [] : [`environment ${variable}`])]
  })

interface Described {
  readonly properties?: Readonly<Record<string, Described>>
  readonly items?: Described
  readonly anyOf?: ReadonlyArray<Described>
  readonly oneOf?: ReadonlyArray<Described>
}

/** The settings within settings, as the schema for editors has them: `lake.data`, `notify[].webhook`. */
const within = ({
  properties = {},
  items,
  anyOf = [],
  oneOf = [],
}: Described): ReadonlyArray<string> => [
  ...Object.entries(properties).flatMap(([name, inner]) => [
    name,
    ...within(inner).map((path) => (path.startsWith("[") ? name + path : `${name}.${path}`)),
  ]),
  ...(items === undefined ? [] : within(items).map((path) => `[].${path}`)),
  ...[...anyOf, ...oneOf].flatMap(within),
]

// A test of the pages compares it with the settings.
const nestedSettings = () => {
  const file = join(import.meta.dirname, "../../docs/config.schema.json")
  const paths = within(JSON.parse(readFileSync(file, "utf8")) as Described)
  return [...new Set(paths)].filter((path) => path.includes(".")).map((path) => `setting ${path}`)
}

/** What is no setting, since it is a secret. */
const secrets = () => [API_KEY, API_KEY_FILE, SERVE_TOKEN].map((name) => `environment ${name}`)

const flags = () => [
  ...Object.keys(globalFlags).map((flag) => `flag --${flag}`),
  ...commands.flatMap(({ name, flags: own }) => [
    `command ${name}`,
    ...Object.keys(own).map((flag) => `flag ${name} --${flag}`),
  ]),
]

// test/cli/commands/schedule/schedule.test.ts compares the page with what is exported.
const metrics = () =>
  [
    ...readFileSync(join(import.meta.dirname, "../../docs/monitoring.md"), "utf8").matchAll(
      /^\| `(vaulthouse_\w+)` \|/gm,
    ),
  ].map(([, name]) => `metric ${name}`)

export const surface = (): ReadonlyArray<string> =>
  [
    ...relations(),
    ...settings(),
    ...nestedSettings(),
    ...secrets(),
    ...flags(),
    ...Object.entries(exitCodes).map(([name, code]) => `exit ${code} ${name}`),
    ...metrics(),
  ].toSorted()

if (import.meta.main) process.stdout.write(`${surface().join("\n")}\n`)
