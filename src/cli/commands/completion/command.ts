// vaulthouse completion: shell completion.
import type { Command } from "../../parse/Command.ts"

export const completion: Command = {
  name: "completion",
  summary: "Print a shell completion script",
  neededBy: "Administrators: complete commands and pipelines on the terminal",
  details:
    'Completes commands, flags, their values, pipelines, tables and endpoints. For bash, add to ~/.bashrc: eval "$(vaulthouse completion bash)". For zsh, add to ~/.zshrc after compinit: eval "$(vaulthouse completion zsh)". `vaulthouse` must be on the PATH.',
  positional: { name: "shell", describe: "bash (default) or zsh" },
  flags: {},
  examples: [
    ["completion bash", "the script, for eval in ~/.bashrc"],
    ["completion zsh", "the script, for eval in ~/.zshrc"],
  ],
  run: async (argv) => (await import("./run.ts")).runCompletion(argv),
}
