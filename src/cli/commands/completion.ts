// vaulthouse completion: a script that completes commands and flags in a shell.
import { type Command, readingSettings } from "../Command.ts"

export const completion: Command = {
  name: "completion",
  summary: "Print a script that completes commands in a shell",
  details:
    'The script asks vaulthouse itself what may come next: commands, flags, values with a choice, pipelines, tables and endpoints. For bash add to ~/.bashrc: eval "$(vaulthouse completion bash)". For zsh add to ~/.zshrc, after compinit: eval "$(vaulthouse completion zsh)".',
  positional: { name: "shell", describe: "bash (default) or zsh" },
  flags: {},
  settings: readingSettings,
  examples: [
    ["completion bash >> ~/.bashrc", "for bash, in every new shell"],
    ["completion zsh >> ~/.zshrc", "for zsh, in every new shell"],
  ],
  run: async (argv) => (await import("../completion/run.ts")).runCompletion(argv),
}
