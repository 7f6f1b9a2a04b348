// vaulthouse mcp: the published copy for an assistant, by the Model Context Protocol.
import { type Command, value } from "../../parse/Command.ts"

export const mcp: Command = {
  name: "mcp",
  summary: "Let an assistant query the warehouse (Model Context Protocol)",
  neededBy: "Analysts: ask an assistant, which cites the run and the response behind each figure",
  details:
    "Speaks the Model Context Protocol over standard input and output, so that an assistant can start it. Its tools list and describe tables, give the worked questions, run read-only queries with the limits of `serve`, trace a figure to its response, and say how current the data is; its resources are the analyst's guide and the glossary. It picks up each new publication.",
  flags: {
    timeout: value("Stop a query after this time", "30s"),
  },
  examples: [["mcp", "as the command of a server in the assistant's settings"]],
  run: async (argv) => (await import("./run.ts")).runMcp(argv),
}
