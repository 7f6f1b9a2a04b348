// raw.responses: the index of the response archive.
import type { Table } from "../../domain/table.ts"

export const responses: Table = {
  schema: "raw",
  name: "responses",
  mode: "first",
  grain: "archived response",
  comment:
    "Every response received: its request, status and time, and where its body lies in the archive.",
  source: "the response archive",
  key: ["response_id"],
  time: "received_at",
  columns: [
    { name: "response_id", type: "text", required: true, comment: "Identifier of the response" },
    { name: "run_id", type: "text", required: true, comment: "Run" },
    { name: "pipeline", type: "text", comment: "Pipeline that asked (ops.tasks)" },
    { name: "entity", type: "text", comment: "Vault, subaccount, … it asked about (ops.tasks)" },
    { name: "window", type: "text", comment: "What of the entity it asked for (ops.tasks)" },
    {
      name: "is_landed",
      type: "boolean",
      comment:
        "Whether rows were made of it, or a set ended by it; not of failures, nor of an empty answer that was not believed or one asked for again in parts",
    },
    {
      name: "is_doubted",
      type: "boolean",
      comment:
        "Whether it was not believed that a set it names has no member (docs/decisions/0010): what landed of it are the warnings or totals beside; null where nothing landed",
    },
    { name: "endpoint", type: "text", required: true, comment: "Endpoint" },
    { name: "method", type: "text", required: true, comment: "HTTP method" },
    { name: "url", type: "text", required: true, comment: "Address asked, without credentials" },
    { name: "request_body", type: "json", comment: "Body sent, for POST" },
    {
      name: "inputs",
      type: "json",
      comment: "Inputs of the endpoint, by the API document's names",
    },
    {
      name: "subject",
      type: "json",
      comment: "What the question was about, as the pipeline knew it",
    },
    { name: "status", type: "integer", required: true, comment: "HTTP status" },
    {
      name: "received_at",
      type: "timestamp",
      unit: "UTC",
      required: true,
      comment: "When the body was complete",
    },
    {
      name: "bytes",
      type: "integer",
      unit: "bytes",
      required: true,
      comment: "Length of the body",
    },
    {
      name: "body_sha256",
      type: "text",
      required: true,
      comment: "SHA-256 of the body: its content address",
    },
    {
      name: "archive_file",
      type: "text",
      required: true,
      comment: "Segment below <data-dir>/raw that holds the body",
    },
    {
      name: "archive_offset",
      type: "integer",
      unit: "bytes",
      required: true,
      comment: "Where the frame that holds it begins in the segment",
    },
    {
      name: "archive_length",
      type: "integer",
      unit: "bytes",
      required: true,
      comment: "Length of that frame",
    },
  ],
  example: "select endpoint, status, count(*), sum(bytes) from raw.responses group by all",
}
