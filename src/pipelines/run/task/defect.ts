// A defect of vaulthouse while it read a partition, as the error of a task: other partitions go on.
import { ApiError } from "../../../domain/wire/errors.ts"
import type { AnyPipeline } from "../../model/Pipeline.ts"

export const defectError = ({ endpoint }: AnyPipeline, entity: string, defect: unknown): ApiError =>
  new ApiError({
    reason: { _tag: "Defect" },
    endpoint: endpoint.name,
    subject: entity,
    status: undefined,
    detail: `vaulthouse failed while reading it, please report this: ${String(defect)}`,
    attempts: 0,
    responses: [],
  })
