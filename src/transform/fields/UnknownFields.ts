// Collects the fields of records that no name of a table covers, each once. Of a record within a record, some of whose
// fields are read, those that are not are fields of their own.
import { isJsonObject, typeOfJson } from "../../domain/values/json.ts"
import type { Drift } from "../../domain/wire/violation.ts"

export class UnknownFields {
  private readonly names: ReadonlySet<string>
  /** The records within records that names lead into: `a` and `a.b` of `a.b.c`. */
  private readonly outer: ReadonlySet<string>
  private readonly found = new Map<string, Drift>()

  /** `names`: the fields that are read or are known to be in `extra`; `a.b` is a field of a nested record. */
  constructor(names: ReadonlySet<string>) {
    this.names = names
    this.outer = new Set([...names].flatMap(outerPaths))
  }

  add(path: string, value: unknown): void {
    if (this.names.has(path) || this.found.has(path)) return
    if (this.outer.has(path) && isJsonObject(value)) {
      for (const [name, inner] of Object.entries(value)) this.add(`${path}.${name}`, inner)
      return
    }
    this.found.set(path, { path: `$.${path}`, kind: "unknown_field", detail: typeOfJson(value) })
  }

  get drift(): ReadonlyArray<Drift> {
    return [...this.found.values()]
  }
}

const outerPaths = (name: string): ReadonlyArray<string> => {
  const parts = name.split(".")
  return parts.slice(1).map((_, index) => parts.slice(0, index + 1).join("."))
}
