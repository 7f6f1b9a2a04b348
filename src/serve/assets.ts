// The files that pages load: styles, the icon and the scripts. A package contains the bundled scripts; in a checkout
// they are bundled when the server starts.
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { extname, join } from "node:path"
import { fingerprint } from "../domain/values/fingerprint.ts"

const folder = join(import.meta.dirname, "assets")

const types: Readonly<Record<string, string>> = {
  ".css": "text/css; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".svg": "image/svg+xml",
}

export interface Asset {
  readonly content: string
  readonly type: string
}

export interface Assets {
  readonly find: (file: string) => Asset | undefined
  /** The path of a file. It changes with the content of the assets, so browsers may cache it forever. */
  readonly path: (file: string) => string
}

export const loadAssets = async (): Promise<Assets> => {
  const contents = new Map(
    readdirSync(folder).map((file) => [file, readFileSync(join(folder, file), "utf8")]),
  )
  if (!existsSync(join(folder, "live.js"))) {
    const { bundle } = await import("./bundle.ts")
    for (const [file, code] of (await bundle()).files) contents.set(file, code)
  }
  const folderPath = `/assets/${fingerprint(...contents.values()).slice(0, 12)}`
  return {
    find: (file) => {
      const content = contents.get(file)
      const type = types[extname(file)]
      return content === undefined || type === undefined ? undefined : { content, type }
    },
    path: (file) => `${folderPath}/${file}`,
  }
}
