// meta.questions: the worked questions of warehouse/examples, inside the warehouse they are about.
import { text } from "../../../domain/table/column.ts"
import type { Table } from "../../../domain/table/table.ts"

export const questions: Table = {
  schema: "meta",
  name: "questions",
  mode: "replace",
  grain: "worked question",
  comment: "Worked questions: each with SQL to copy. Every parameter has a default.",
  source: "warehouse/examples",
  key: ["name"],
  columns: [
    text("name", "Name of the question", { required: true }),
    text("question", "What the SQL answers", { required: true }),
    text("reader", "Who it is for", { required: true }),
    text("sql", "The query, with its notes on parameters and rows", { required: true }),
  ],
  example: "select name, question from meta.questions order by name",
}
