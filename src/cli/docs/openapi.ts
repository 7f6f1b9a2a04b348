// Prints the OpenAPI document.
import { openapi } from "../../pipelines/service/openapi.ts"
import { type ExitCode, exitCodes } from "../exit.ts"

export const openapiText = (): string => `${JSON.stringify(openapi(), null, 2)}\n`

export const printOpenapi = (): ExitCode => {
  process.stdout.write(openapiText())
  return exitCodes.ok
}
