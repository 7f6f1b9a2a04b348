// Prints the completion script of a shell: yargs' own, told which shell it is for.
import yargs from "yargs"
import { type Arguments, textOf } from "../Command.ts"
import { REQUEST } from "./answer.ts"
import { type ExitCode, exitCodes } from "../exit.ts"

const shells = ["bash", "zsh"]

export const runCompletion = async (argv: Arguments): Promise<ExitCode> => {
  const shell = textOf(argv, "shell") ?? "bash"
  if (!shells.includes(shell)) {
    process.stderr.write(
      `vaulthouse: there is no completion for ${shell}; there is one for ${shells.join(" and ")}.\nName the shell: vaulthouse completion bash\n`,
    )
    return exitCodes.usage
  }
  const script = await scriptFor(shell)
  // The shell that asks need not be the user's login shell: the script says which one it is.
  process.stdout.write(`${script.replaceAll(REQUEST, `${REQUEST} ${shell}`).trim()}\n`)
  return exitCodes.ok
}

const scriptFor = async (shell: string): Promise<string> => {
  // yargs looks here when it is made, and nowhere else.
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
