// Starts the web page, prints its address, and runs until it is stopped.
import { readFileSync, statSync } from "node:fs"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import type { UsageError } from "../../../domain/UsageError.ts"
import { readReason } from "../../../domain/values/fileReason.ts"
import { isLoopback } from "../../../domain/values/loopback.ts"
import { SERVE_TOKEN, serveToken } from "../../../config/secrets/serveToken.ts"
import { serve } from "../../../serve/server.ts"
import { numberOf, repeatedOf, rowLimit, secondsOf, textOf } from "../../parse/arguments.ts"
import type { Arguments } from "../../parse/Command.ts"
import { warn } from "../../terminal/complaints.ts"
import { wrongUse } from "../../parse/errors.ts"
import { execute } from "../../execute/execute.ts"
import { docsFolder, version } from "../../execute/version.ts"
import { exitCodes } from "../../parse/exit.ts"
import { listenProblem } from "../../execute/listening.ts"
import { print } from "../../terminal/output.ts"

export const runServe = (argv: Arguments) =>
  execute(
    argv,
    function* ({ settings: { dataDir, archive, fields, queryMemoryLimit, queryDiskLimit } }) {
      const host = textOf(argv, "host") ?? "127.0.0.1"
      const port = yield* numberOf(argv, "port", 0, 65_535)
      const limits = {
        seconds: (yield* secondsOf(argv, "timeout")) ?? Infinity,
        rows: yield* rowLimit(argv),
      }
      const allowedHosts = yield* hostsOf(argv)
      const token = yield* tokenOf(argv, host)
      const url = yield* serve({
        dataDir,
        archive,
        fields,
        memoryLimit: queryMemoryLimit,
        diskLimit: queryDiskLimit,
        port,
        access: { host, allowedHosts, token },
        limits,
        version,
        docs: docsFolder,
      }).pipe(
        Effect.catchTag("ListenError", (error) =>
          Effect.fail(listenProblem(error, host, port, PORT_ADVICE)),
        ),
      )
      print(
        `${dataDir} is at ${url}${token === undefined ? "" : " (readers sign in with the token)"}\nCtrl-C stops it.\n`,
      )
      return yield* Effect.never
    },
    { code: exitCodes.ok, text: "vaulthouse: serve stopped\n" },
  )

const PORT_ADVICE = "Choose others with --host and --port; `--port 0` takes any free port."

const hostsOf = (argv: Arguments) => {
  const hosts = repeatedOf(argv, "allowed-host")
  const wrong = hosts.find((host) => /[/\s]/.test(host))
  return wrong === undefined
    ? Effect.succeed(hosts)
    : wrongUse(
        `--allowed-host ${JSON.stringify(wrong)} is not a name.`,
        "Write it without scheme and path, such as vaults.example.com.",
      )
}

const MIN_TOKEN_LENGTH = 16

/** The token from --token-file or the environment; required if other machines can connect. */
const tokenOf = (
  argv: Arguments,
  host: string,
): Effect.Effect<Redacted.Redacted<string> | undefined, UsageError> => {
  const file = textOf(argv, "token-file")
  let token = serveToken()
  let from = SERVE_TOKEN
  if (file !== undefined) {
    from = `--token-file ${file}`
    try {
      token = Redacted.make(readFileSync(file, "utf8").trim())
      warnIfReadable(file, statSync(file).mode)
    } catch (cause) {
      return wrongUse(`${from} can't be read: ${readReason(cause)}.`)
    }
  }
  if (token !== undefined && Redacted.value(token).length < MIN_TOKEN_LENGTH) {
    return wrongUse(
      `The token of ${from} has fewer than ${MIN_TOKEN_LENGTH} characters.`,
      "`openssl rand -hex 24` makes a good one.",
    )
  }
  if (token === undefined && !isLoopback(host)) {
    return wrongUse(
      `--host ${host} lets other machines connect, so a token is needed.`,
      `Put one into a file for --token-file, or into ${SERVE_TOKEN}: \`openssl rand -hex 24 > token.txt && chmod 600 token.txt\`.`,
    )
  }
  return Effect.succeed(token)
}

const OTHERS_CAN_READ = 0o004

/** Only warns, unlike ssh: secrets that Kubernetes and Docker mount are readable by everyone in their container. */
const warnIfReadable = (file: string, mode: number): void => {
  if ((mode & OTHERS_CAN_READ) === 0) return
  warn(`everyone on this machine can read ${file}: run \`chmod 600 ${file}\`.`)
}
