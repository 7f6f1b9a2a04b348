// Which files of the checkout a file needs when it runs: types are gone by then.
import { readFileSync } from "node:fs"
import { dirname, join, relative } from "node:path"

/** As paths from `root`; those that are loaded only when they are needed (`import("…")`) apart. */
export const importsOf = (
  root: string,
  file: string,
): { readonly still: ReadonlyArray<string>; readonly lazy: ReadonlyArray<string> } => {
  const text = readFileSync(join(root, file), "utf8")
  const find = (pattern: RegExp) =>
    [...text.matchAll(pattern)].map(([, path = ""]) =>
      relative(root, join(root, dirname(file), path)),
    )
  return {
    still: find(/^(?:import|export) (?!type )(?:[^"=]*? from )?"(\.[^"]+)"/gm),
    lazy: find(/\bimport\("(\.[^"]+)"/g),
  }
}
