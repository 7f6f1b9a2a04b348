// Bundles the client code: into a folder when the package is built (`node src/serve/bundle.ts FOLDER`), in memory in a
// checkout.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { build } from "rolldown"

/** Files of `client/`, each of which becomes one script. */
const entries = ["live", "sql", "chart", "result"]

export interface ClientBundle {
  /** The scripts and the chart library's style sheet, by file name. */
  readonly files: ReadonlyMap<string, string>
  /** Paths of the modules that the scripts are made of. */
  readonly modules: ReadonlyArray<string>
}

export const bundle = async (): Promise<ClientBundle> => {
  const { output } = await build({
    input: Object.fromEntries(
      entries.map((name) => [name, join(import.meta.dirname, "client", `${name}.ts`)]),
    ),
    write: false,
    platform: "browser",
    output: {
      format: "esm",
      minify: true,
      entryFileNames: "[name].js",
      chunkFileNames: "[name].js",
    },
  })
  const scripts = output.flatMap((file): ReadonlyArray<readonly [string, string]> =>
    file.type === "chunk" ? [[file.fileName, file.code]] : [],
  )
  const uplotStyle = fileURLToPath(import.meta.resolve("uplot/dist/uPlot.min.css"))
  return {
    files: new Map([...scripts, ["uplot.css", readFileSync(uplotStyle, "utf8")]]),
    modules: output.flatMap((file) => (file.type === "chunk" ? file.moduleIds : [])),
  }
}

if (import.meta.main) {
  const [folder = ""] = process.argv.slice(2)
  mkdirSync(folder, { recursive: true })
  for (const [file, code] of (await bundle()).files) writeFileSync(join(folder, file), code)
}
