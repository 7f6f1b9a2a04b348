// Sends one request with typed inputs and prints the response.
import * as Effect from "effect/Effect"
import { call, type ParsedCall, parseCall } from "../../../pipelines/service/call.ts"
import type { Service } from "../../../pipelines/service/clientOutsideRun.ts"
import {
  endpointList,
  type ListedEndpoint,
  type ListedInput,
} from "../../../pipelines/service/endpointList.ts"
import { openapi } from "../../../pipelines/service/openapi.ts"
import { pairsOf, textOf } from "../../parse/arguments.ts"
import type { Arguments } from "../../parse/Command.ts"
import { wrongUse } from "../../parse/errors.ts"
import { execute, stopped } from "../../execute/execute.ts"
import { print } from "../../terminal/output.ts"
import { jsonText, printReport } from "../../execute/report.ts"
import { retryPrinter } from "../../words/retryText.ts"
import { serviceOf, wireOf } from "../../execute/service.ts"
import { tableWidth, textTable } from "../../terminal/table.ts"
import { paragraph, terminalWidth } from "../../terminal/terminal.ts"

export const runCall = (argv: Arguments) =>
  execute(
    argv,
    function* (config) {
      if (argv["openapi"] === true) return print(`${JSON.stringify(openapi(), null, 2)}\n`)
      if (argv["list"] === true) {
        const endpoints = endpointList(wireOf(config.settings))
        return printReport(argv, { endpoints }, () => listText(endpoints))
      }
      const endpoint = textOf(argv, "endpoint")
      if (endpoint === undefined) {
        return yield* wrongUse("Name an endpoint.", "`vaulthouse call --list` lists them all.")
      }
      const inputs = yield* pairsOf(argv, "param")
      const request = yield* Effect.fromResult(parseCall(endpoint, inputs))
      const { api, pace } = yield* serviceOf(config)
      const service = { api: { ...api, onRetry: retryPrinter() }, pace }
      yield* argv["raw"] === true ? printRaw(request, service) : printDecoded(request, service)
    },
    stopped,
  )

const printDecoded = (request: ParsedCall, service: Service) =>
  Effect.map(
    call(request, service, () => undefined),
    (value) => print(jsonText(value)),
  )

/** Prints the body as received, also for error responses and contract violations. */
const printRaw = (request: ParsedCall, service: Service) => {
  let body: string | undefined
  const called = call(request, service, (received) => {
    body = received
  })
  return Effect.ensuring(
    called,
    Effect.sync(() => body !== undefined && print(body)),
  )
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
  return `${list}\n\nInputs in [brackets] are optional.\n`
}

/** An endpoint on several lines, for a terminal that is too narrow for the table. */
const entryText = ([name, method, path, auth, inputs = ""]: ReadonlyArray<string>): string =>
  [
    `${name} (${auth})`,
    `    ${method} ${path}`,
    ...(inputs === "" ? [] : [`    ${paragraph(inputs, 4)}`]),
  ].join("\n")

const inputText = ({ name, required, expected }: ListedInput): string =>
  required ? `${name} (${expected})` : `[${name} (${expected})]`
