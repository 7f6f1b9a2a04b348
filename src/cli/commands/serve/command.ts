// vaulthouse serve: the local web page over the published copy.
import { type Command, value, values } from "../../parse/Command.ts"

export const serve: Command = {
  name: "serve",
  summary: "Show the warehouse as a web page on this machine",
  neededBy: "Analysts: look at vaults, figures and their responses in a browser",
  details:
    "Shows the published copy as a web page: every vault and what is wrong with it, the trace of each figure to its response, the state of the data, and SQL with downloads, now or as it was known at an instant. Assistants find the tools of `vaulthouse mcp` at /api/mcp. It only reads, loads nothing from other hosts, and picks up each new publication. Only this machine can connect unless --host says otherwise; others then need a token, from --token-file or the variable VAULTHOUSE_SERVE_TOKEN. Ctrl-C stops it.",
  flags: {
    port: value("Port to listen on; 0 for any free one", "8484"),
    host: value(
      "Address to listen on; any other than this machine's own needs a token",
      "127.0.0.1",
    ),
    "allowed-host": values("Name under which browsers reach it, such as that of a reverse proxy"),
    "token-file": value("File with the token that readers sign in with"),
    timeout: value("Stop a query after this time", "30s"),
    "max-rows": value("Maximum number of rows of a result", "100000"),
  },
  examples: [
    ["serve", "then open http://127.0.0.1:8484"],
    ["serve --host 0.0.0.0 --token-file token.txt", "for others on the network too"],
  ],
  run: async (argv) => (await import("./run.ts")).runServe(argv),
}
