// raw.responses: the index of the response archive.
import { boolean, integer, json, text, timestamp } from "../../../domain/table/column.ts"
import type { Table } from "../../../domain/table/table.ts"

export const responses: Table = {
  schema: "raw",
  name: "responses",
  mode: "first",
  grain: "archived response",
  comment:
    "Every response received: its request, status and time, and where its body is in the archive.",
  source: "the response archive",
  key: ["response_id"],
  time: "received_at",
  columns: [
    text("response_id", "Identifier of the response", { required: true }),
    text("run_id", "Run", { required: true }),
    text("pipeline", "Pipeline that sent the request (ops.tasks)"),
    text("entity", "Partition that was requested: a vault, subaccount, … (ops.tasks)"),
    text("window", "Part of the partition that was requested (ops.tasks)"),
    boolean(
      "is_landed",
      "Whether it made rows or retired some; false for failures, for a suspicious empty response and for one that was requested again in parts",
    ),
    boolean(
      "is_suspicious",
      "Whether its empty set was suspicious (docs/decisions/0010), so that only its warnings or totals landed; null if nothing landed",
    ),
    text("endpoint", "Endpoint", { required: true }),
    text("method", "HTTP method", { required: true }),
    text("url", "Address, without credentials", { required: true }),
    json("request_body", "Body sent, for POST"),
    json("inputs", "Inputs of the endpoint, by the API document's names"),
    json("subject", "Subject of the request, as the pipeline knew it"),
    integer("status", "HTTP status", { required: true }),
    timestamp("received_at", "When the body was complete", { required: true }),
    integer("bytes", "Length of the body", { unit: "bytes", required: true }),
    text("body_sha256", "SHA-256 of the body: its content address", { required: true }),
    text("archive_file", "Segment of the response archive that holds the body", { required: true }),
    integer("archive_offset", "Start of the frame that holds it in the segment", {
      unit: "bytes",
      required: true,
    }),
    integer("archive_length", "Length of that frame", { unit: "bytes", required: true }),
  ],
  example: "select endpoint, status, count(*), sum(bytes) from raw.responses group by all",
}
