// The licences of the packages in the bundle, which most of them require to be passed on.
import { globSync, readFileSync } from "node:fs"
import { join } from "node:path"

interface Package {
  readonly name: string
  readonly version: string
  readonly license: string
}

/** The folder of the package that a module belongs to. */
const folderOf = (module: string): string | undefined =>
  /^\0?(.*\/node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(module)?.[1]

/** A text that names each package of these modules with its licence. Fails if one has none. */
export const licensesOf = (modules: ReadonlyArray<string>): string => {
  const folders = new Set(modules.map(folderOf).filter((folder) => folder !== undefined))
  const texts = [...folders].map((folder) => {
    const { name, version, license } = JSON.parse(
      readFileSync(join(folder, "package.json"), "utf8"),
    ) as Package
    const [file] = globSync("{LICENSE,LICENCE,License,license}*", { cwd: folder })
    if (file === undefined && typeof license !== "string")
      throw new Error(`${name} names no licence`)
    const text = file === undefined ? "" : `\n\n${readFileSync(join(folder, file), "utf8").trim()}`
    return `${name} ${version}: ${license}${text}`
  })
  return `${texts.toSorted().join(`\n\n${"-".repeat(80)}\n\n`)}\n`
}
