// The page of all commands, generated from the parser's help and the lists of settings and exit codes.
import { parser } from "../commandLine.ts"
import { commands } from "../commands/index.ts"
import { exitCodes } from "../parse/exit.ts"
import { settingRows } from "../parse/globalFlags.ts"

/** Markdown of docs/cli.md. */
export const commandPage = async (): Promise<string> => {
  const sections = await Promise.all(
    commands.map(
      async ({ name, neededBy }) => `## ${name}\n\n${neededBy}.\n\n${fenced(await helpOf(name))}`,
    ),
  )
  return [
    "# Commands and settings",
    "Written by `make docs` from the commands. Every command also takes the flags of the [settings](#settings).\nThe line above each command and the last column of the settings say [who](glossary.md#who-needs-what) needs it.\n`--json` prints one object with snake_case keys, indented on a terminal and on one line elsewhere. What is below `body`,\n`request`, `response` and `value` keeps the spelling of the service. `call` and `query --format json` print data alone.",
    fenced(await helpOf()),
    ...sections,
    "## Settings",
    "Flags win over the environment, the environment over the configuration file, the file over the defaults.\nSettings without a flag can only be set in the file. The [API key](security.md#what-is-secret) comes from the environment only.",
    markdownTable(
      ["in the file", "flag", "environment", "what it is", "default", "needed by"],
      settingRows(),
    ),
    "## Exit codes",
    markdownTable(
      ["code", "means"],
      Object.entries(exitCodes).map(([name, code]) => [
        String(code),
        meanings[name as keyof typeof exitCodes],
      ]),
    ),
    "",
  ]
    .join("\n\n")
    .trimEnd()
    .concat("\n")
}

const meanings: Readonly<Record<keyof typeof exitCodes, string>> = {
  ok: "everything landed, or nothing was new",
  unexpected:
    "the command failed, and the message says why: nothing could be read from the service, SQL was refused, nothing is published yet, a folder is not empty, a disk failed. Also a bug of vaulthouse, which the message calls one",
  usage: "the command line or the configuration is wrong",
  partial:
    "some tasks failed or were quarantined, or the service rejected the API key; the rest landed. Also by `--fail-on partial` and `gaps`; `replay` left responses or tables out",
  checks:
    "a check of `check` or `sync` (severity `error`), `verify`, `doctor` or `notify test` failed. Also by `--fail-on checks` and `stale`",
  deferred:
    "the service requires a longer wait than a run allows; the next run continues from there",
  locked: "another run holds the warehouse (`sync --wait` waits for it, up to a day)",
  interrupted:
    "stopped by Ctrl-C or SIGTERM; `schedule`, `serve`, `worker`, `mcp` and `simulate`, which run until they are stopped, exit with 0. SIGTERM before a command has begun ends it at once, like a kill, with 143; SIGHUP does so at any time, with 129",
}

/** What `--help` prints, without the parts that all commands share. */
const helpOf = async (command?: string): Promise<string> => {
  let help = ""
  await parser(() => undefined).parseAsync(
    [...(command === undefined ? [] : [command]), "--help"],
    {},
    (_error: unknown, _argv: unknown, output: string) => {
      help = output
    },
  )
  return help
    .replace(/^Settings:\n(?:.+\n)*\n?/m, "")
    .replace(/^ +(?:--version|-h, --help) .*\n?/gm, "")
    .replace(/^Options:\n+(?=Examples:|$)/m, "")
    .trim()
}

const fenced = (text: string): string => `\`\`\`text\n${text}\n\`\`\``

export const code = (text: string): string => `\`${text}\``

export const markdownTable = (
  head: ReadonlyArray<string>,
  rows: ReadonlyArray<ReadonlyArray<string>>,
): string =>
  [head, head.map(() => "---"), ...rows]
    .map((cells) => `| ${cells.map((text) => text.replaceAll("|", "\\|")).join(" | ")} |`)
    .join("\n")
