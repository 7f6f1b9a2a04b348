// Starts the MCP server, and runs until standard input ends or it is stopped.
import { serveMcp } from "../../../serve/mcp/mcp.ts"
import { secondsOf } from "../../parse/arguments.ts"
import type { Arguments } from "../../parse/Command.ts"
import { execute } from "../../execute/execute.ts"
import { docsFolder, version } from "../../execute/version.ts"
import { exitCodes } from "../../parse/exit.ts"

// What an assistant can take in; it may ask for fewer.
const MAX_ROWS = 1000

export const runMcp = (argv: Arguments) =>
  execute(
    argv,
    function* ({ settings: { dataDir, archive, queryMemoryLimit, queryDiskLimit } }) {
      yield* serveMcp({
        dataDir,
        archive,
        memoryLimit: queryMemoryLimit,
        diskLimit: queryDiskLimit,
        limits: { seconds: (yield* secondsOf(argv, "timeout")) ?? Infinity, rows: MAX_ROWS },
        version,
        docs: docsFolder,
      })
    },
    // An assistant stops it when it needs it no longer.
    { code: exitCodes.ok, text: "" },
  )
