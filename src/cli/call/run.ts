// From typed inputs to one request, and its answer to standard output.
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { Config } from "../../config/Config.ts"
import { call, type Question, questionOf } from "../../pipelines/service/call.ts"
import type { Service } from "../../pipelines/service/clientOutsideRun.ts"
import {
  endpointList,
  type ListedEndpoint,
  type ListedInput,
} from "../../pipelines/service/endpointList.ts"
import { type Arguments, textOf } from "../Command.ts"
import { UsageError } from "../errors.ts"
import { execute } from "../execute.ts"
import { type ExitCode, exitCodes } from "../exit.ts"
import { tellOfRetries } from "../retryText.ts"
import { serviceOf, wireOf } from "../service.ts"
import { tableWidth, textTable } from "../table.ts"
import { paragraph, terminalWidth } from "../terminal.ts"

export const runCall = (argv: Arguments): Promise<ExitCode> =>
  execute(
    argv,
    (config) =>
      Effect.gen(function* () {
        if (argv["list"] === true) return printList(argv, config)
        const endpoint = textOf(argv, "endpoint")
        if (endpoint === undefined) {
          return yield* new UsageError({
            why: "Name an endpoint.",
            advice: "`vaulthouse call --list` lists them all.",
          })
        }
        const typed = yield* Effect.fromResult(readParameters(argv))
        const question = yield* Effect.fromResult(questionOf(endpoint, typed))
        const { api, pace } = yield* Effect.fromResult(serviceOf(config))
        const service = { api: { ...api, onRetry: tellOfRetries() }, pace }
        yield* argv["raw"] === true ? printRaw(question, service) : printDecoded(question, service)
        return exitCodes.ok
      }),
    { code: exitCodes.interrupted, text: "vaulthouse: stopped\n" },
  )

const printDecoded = (question: Question, service: Service) =>
  Effect.map(
    call(question, service, () => undefined),
    (value) => process.stdout.write(`${JSON.stringify(value, null, 2)}\n`),
  )

/** Also what the service says when it refuses, and what is not as documented. */
const printRaw = (question: Question, service: Service) => {
  let body: string | undefined
  const asked = call(question, service, (received) => {
    body = received
  })
  return Effect.ensuring(
    asked,
    Effect.sync(() => body !== undefined && process.stdout.write(body)),
  )
}

const readParameters = (
  argv: Arguments,
): Result.Result<Readonly<Record<string, string>>, UsageError> => {
  const given = argv["param"]
  const typed: Record<string, string> = {}
  for (const pair of (Array.isArray(given) ? given : []).map(String)) {
    const at = pair.indexOf("=")
    const name = pair.slice(0, Math.max(at, 0))
    if (name === "") {
      return Result.fail(new UsageError({ why: `--param ${pair} is not of the form name=value.` }))
    }
    if (typed[name] !== undefined) {
      return Result.fail(
        new UsageError({ why: `--param ${name} is given twice; a list is one value with commas.` }),
      )
    }
    typed[name] = pair.slice(at + 1)
  }
  return Result.succeed(typed)
}

const printList = (argv: Arguments, { settings }: Config): ExitCode => {
  const endpoints = endpointList(wireOf(settings))
  process.stdout.write(
    argv["json"] === true ? `${JSON.stringify(endpoints, null, 2)}\n` : listText(endpoints),
  )
  return exitCodes.ok
}

const listText = (endpoints: ReadonlyArray<ListedEndpoint>): string => {
  const head = ["endpoint", "method", "path", "auth", "inputs"]
  const rows = endpoints.map(({ name, method, path, auth, inputs, unsafe }) => [
    name,
    method,
    path,
    auth,
    unsafe ? `see \`vaulthouse ${name} --help\`` : inputs.map(inputText).join("; "),
  ])
  const list =
    tableWidth(head, rows) > terminalWidth()
      ? rows.map(entryText).join("\n")
      : textTable(head, rows)
  return `${list}\n\nAn input in [brackets] may be left out.\n`
}

/** An endpoint on lines of its own, for a terminal that is too narrow for the table. */
const entryText = ([name, method, path, auth, inputs = ""]: ReadonlyArray<string>): string =>
  [
    `${name} (${auth})`,
    `    ${method} ${path}`,
    ...(inputs === "" ? [] : [`    ${paragraph(inputs, 4)}`]),
  ].join("\n")

const inputText = ({ name, required, expected }: ListedInput): string =>
  required ? `${name} (${expected})` : `[${name} (${expected})]`
