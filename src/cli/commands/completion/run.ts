// Prints the completion script of a shell: yargs' own, with the name of the shell in its request and another heading.
import yargs from "yargs"
import { textOf } from "../../parse/arguments.ts"
import { type Arguments, COMPLETION_REQUEST } from "../../parse/Command.ts"
import { type ExitCode, exitCodes } from "../../parse/exit.ts"
import { print, printError } from "../../terminal/output.ts"

const shells = ["bash", "zsh"]

export const runCompletion = async (argv: Arguments): Promise<ExitCode> => {
  const shell = textOf(argv, "shell") ?? "bash"
  if (!shells.includes(shell)) {
    printError(
      `vaulthouse: there is no completion for ${shell}, only for ${shells.join(" and ")}.\nName the shell: vaulthouse completion bash\n`,
    )
    return exitCodes.usage
  }
  const script = await scriptFor(shell)
  const own = script
    .replace(/^# yargs command completion script\n#\n# Installation: .*\n# +or .*$/m, header(shell))
    // The shell that completes may not be the user's login shell.
    .replaceAll(COMPLETION_REQUEST, `${COMPLETION_REQUEST} ${shell}`)
  print(`${own.trim()}\n`)
  return exitCodes.ok
}

const header = (shell: string): string =>
  `# Completion of vaulthouse, which must be on the PATH. Add to ~/.${shell}rc${shell === "zsh" ? ", after compinit" : ""}:\n#   eval "$(vaulthouse completion ${shell})"`

const scriptFor = async (shell: string): Promise<string> => {
  // yargs reads the shell only from this variable, when it is created.
  // oxlint-disable-next-line no-process-env
  process.env["SHELL"] = shell
  let script = ""
  await yargs()
    .scriptName("vaulthouse")
    .exitProcess(false)
    .completion("completion")
    .parseAsync(["completion"], {}, (_error: unknown, _argv: unknown, output: string) => {
      script = output
    })
  return script
}
