// The versions of DuckDB that open what is published: how each runs a script of this folder.
import { execFile } from "node:child_process"
import { join } from "node:path"
import { promisify } from "node:util"

export interface Engine {
  readonly name: string
  /** Runs `read` or `open` with files and resolves to what it prints. */
  readonly run: (script: "read" | "open", ...files: ReadonlyArray<string>) => Promise<string>
}

const printed = async (command: string, args: ReadonlyArray<string>): Promise<string> => {
  const { stdout } = await promisify(execFile)(command, args, { maxBuffer: 1 << 30 })
  return stdout
}

/** A package of DuckDB that the module `from` finds. */
const ofNode = (from: string, name: string): Engine => ({
  name,
  run: (script, ...files) =>
    printed(process.execPath, [join(import.meta.dirname, `${script}.js`), from, name, ...files]),
})

export const today = ofNode(import.meta.filename, "@duckdb/node-api")

/** What `make test-engines` installs in `folder`, the oldest first: packages from npm, and the newest one from PyPI. */
export const enginesIn = (folder: string): ReadonlyArray<Engine> => [
  ...["1.1", "1.2", "1.3", "1.4"].map((version) =>
    ofNode(join(folder, "package.json"), `duckdb-${version}`),
  ),
  {
    name: "the newest DuckDB of PyPI",
    run: (script, ...files) =>
      printed(join(folder, "python/bin/python"), [
        join(import.meta.dirname, `${script}.py`),
        ...files,
      ]),
  },
]
