// The page of all commands, from the parser's own help; settings and exit codes from their lists.
import { API_KEY, API_KEY_FILE } from "../../config/settings.ts"
import { parser } from "../commandLine.ts"
import { commands } from "../commands/index.ts"
import { exitCodes } from "../exit.ts"
import { settingRows } from "../globalFlags.ts"

/** Markdown of docs/cli.md. */
export const commandPage = async (): Promise<string> => {
  const sections = await Promise.all(
    commands.map(async ({ name }) => `## ${name}\n\n${fenced(await helpOf(name))}`),
  )
  return [
    "# Commands and settings",
    "Written by `make docs` from the commands themselves. Every command also takes the flags of the\n[settings](#settings).",
    fenced(await helpOf()),
    ...sections,
    "## Settings",
    "A flag wins over the environment, that over the configuration file, that over the default.\nSettings without a flag stand in the file alone.",
    markdownTable(["in the file", "flag", "environment", "what it is", "default"], settingRows()),
    `The API key comes from \`${API_KEY}\`, or from the file that \`${API_KEY_FILE}\` names; it has no flag,\nwhich other users of the machine could read, and no place in the configuration file.`,
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
  ok: "all landed, or nothing was new",
  unexpected: "unexpected failure",
  usage: "the command line or the configuration is wrong",
  partial: "some tasks failed or were quarantined; the rest landed",
  checks: "a check failed, of `check` (severity `error`), `sync`, `verify` or `doctor`",
  deferred: "the service asked to wait longer than a run does; the next one goes on from there",
  locked: "another run holds the warehouse (`sync --wait` waits for it)",
  interrupted: "stopped by Ctrl-C or SIGTERM",
}

/** What `--help` prints, without the groups that every command has alike. */
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
    .replace(/^Options:\n(?=\n|$)/m, "")
    .trim()
}

const fenced = (text: string): string => `\`\`\`text\n${text}\n\`\`\``

const markdownTable = (
  head: ReadonlyArray<string>,
  rows: ReadonlyArray<ReadonlyArray<string>>,
): string =>
  [head, head.map(() => "---"), ...rows]
    .map((cells) => `| ${cells.map((text) => text.replaceAll("|", "\\|")).join(" | ")} |`)
    .join("\n")
