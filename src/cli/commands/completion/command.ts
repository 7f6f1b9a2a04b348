// vaulthouse completion: shell completion.
import type { Command } from "../../parse/Command.ts"

export const completion: Command = {
  name: "completion",
  summary: "Print a shell completion script",
  neededBy: "Administrators: complete commands and pipelines on the terminal",
  details:
    'Completes commands, flags, their values, pipelines, tables and endpoints. For bash, add to ~/.bashrc: eval "$(vaulthouse completion bash)". For zsh, add to ~/.zshrc after compinit: eval "$(vaulthouse completion zsh)".',
  positional: { name: "shell", describe: "bash (default) or zsh" },
  flags: {},
  examples: [
    ["completion bash >> ~/.bashrc", "for bash, in every new shell"],
    ["completion zsh >> ~/.zshrc", "for zsh, in every new shell"],
  ],
  run: async (argv) => (await import("./run.ts")).runCompletion(argv),
}
