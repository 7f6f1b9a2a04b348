// Which encodings of a PostgreSQL database have room for every character.
import type { PostgresTarget } from "../../domain/stores/postgresUrl.ts"

// SQL_ASCII stores bytes as they come.
const COMPLETE = new Set(["UTF8", "SQL_ASCII"])

/** What is wrong with the database's encoding; `undefined` if it has every character. `setting` names the database. */
export const encodingProblem = (
  { database }: PostgresTarget,
  encoding: string,
  setting: string,
): { readonly why: string; readonly advice: string } | undefined =>
  COMPLETE.has(encoding)
    ? undefined
    : {
        why: `the encoding of the database ${database} is ${encoding}, which lacks characters of what is stored there; it must be UTF8`,
        advice: `Name another database in ${setting}, as made by \`create database … encoding 'UTF8' locale 'C' template template0\`.`,
      }
