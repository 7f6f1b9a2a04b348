// Error responses (§7). The document shows no structure beyond "a detail text"; the simulator uses FastAPI's.

export class ApiError extends Error {
  readonly status: number
  readonly detail: unknown
  constructor(status: number, detail: unknown) {
    super(typeof detail === "string" ? detail : JSON.stringify(detail))
    this.status = status
    this.detail = detail
  }
}

export const notFound = (detail: string): ApiError => new ApiError(404, detail)

export const invalid = (where: string, name: string, message: string): ApiError =>
  new ApiError(422, [{ type: "value_error", loc: [where, name], msg: message }])
