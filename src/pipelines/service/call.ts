// One request to any endpoint, from typed text. Nothing is archived.
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { didYouMean } from "../../config/read/nearest.ts"
import type { ApiError } from "../../domain/wire/errors.ts"
import { UsageError } from "../../domain/UsageError.ts"
import { ApiClient } from "../../extract/ApiClient.ts"
import type { AnyEndpoint, Inputs } from "../../extract/Endpoint.ts"
import type { Parameter, Parameters } from "../../extract/Parameter.ts"
import type { ArchiveError } from "../../archive/ResponseArchive.ts"
import { clientOutsideRun, type Service } from "./clientOutsideRun.ts"
import { endpointNamed } from "./endpointList.ts"

/** A request whose text could be parsed; its values are validated when it is sent. */
export interface ParsedCall {
  readonly endpoint: AnyEndpoint
  readonly inputs: Inputs<Parameters>
}

/** Inputs by client-side name, as typed. */
export const parseCall = (
  name: string,
  typed: Readonly<Record<string, string>>,
): Result.Result<ParsedCall, UsageError> => {
  const endpoint = endpointNamed(name)
  if (endpoint instanceof UsageError) return Result.fail(endpoint)
  if (endpoint.unsafe === true) {
    return Result.fail(
      new UsageError({
        why: `\`${name}\` changes something, so \`call\` does not send it.`,
        advice: `Use \`vaulthouse ${name}\`: it shows the request first and keeps a journal.`,
      }),
    )
  }
  return Result.map(readInputs(endpoint, typed), (inputs) => ({
    endpoint,
    // The request validates each input, whatever its type here.
    inputs: inputs as Inputs<Parameters>,
  }))
}

/**
 * The decoded response; integers beyond 2^53 keep every digit. `onBody` receives every body as received, those of
 * failed attempts too.
 */
export const call = (
  { endpoint, inputs }: ParsedCall,
  service: Service,
  onBody: (body: string) => void,
): Effect.Effect<unknown, ApiError | ArchiveError> =>
  Effect.gen(function* () {
    const client = yield* ApiClient
    return (yield* client.call(endpoint, inputs)).value
  }).pipe(Effect.provide(clientOutsideRun(service, ({ body }) => onBody(body.toString()))))

/** Values of typed inputs, not validated yet. */
export const readInputs = (
  { name, parameters }: AnyEndpoint,
  typed: Readonly<Record<string, string>>,
): Result.Result<Readonly<Record<string, unknown>>, UsageError> => {
  const known = Object.keys(parameters)
  const inputs: Record<string, unknown> = {}
  for (const [input, text] of Object.entries(typed)) {
    const parameter: Parameter<never> | undefined = parameters[input]
    if (parameter === undefined) {
      const names = known.length === 0 ? "It takes none." : `Its inputs are ${known.join(", ")}.`
      return Result.fail(
        new UsageError({
          why: `\`${name}\` has no input \`${input}\`${didYouMean(input, known) || "."}`,
          advice: names,
        }),
      )
    }
    const value = parameter.read(text)
    if (Result.isFailure(value)) {
      return Result.fail(
        new UsageError({
          why: `${input}: \`${text}\` ${value.failure}.`,
          advice: `Expected: ${parameter.expected}.`,
        }),
      )
    }
    inputs[input] = value.success
  }
  return Result.succeed(inputs)
}
