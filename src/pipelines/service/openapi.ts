// The OpenAPI document of the endpoints, for the command that prints it and the page that keeps it.
export { openapi } from "../../extract/openapi.ts"
