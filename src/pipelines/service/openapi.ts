// The OpenAPI document of the endpoints; the documented fields come from the columns they fill.
import { type DocumentedFields, openapi as openapiOf } from "../../extract/openapi/openapi.ts"
import { pipelines } from "../pipelines.ts"

const documentedFields: DocumentedFields = (endpoint) =>
  pipelines
    .filter((pipeline) => pipeline.endpoint === endpoint)
    .flatMap(({ tables }) => tables.flatMap(({ columns }) => columns))
    .flatMap(({ fields, isDocumented }) =>
      isDocumented === true ? (fields?.slice(0, 1) ?? []) : [],
    )

export const openapi = () => openapiOf(documentedFields)
