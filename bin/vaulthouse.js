// What bin/vaulthouse runs: checks that this Node can run the source and that everything is installed, then
// starts the command line. Plain JavaScript that old versions can read.
import { existsSync, mkdirSync } from "node:fs"
import module from "node:module"
import { join } from "node:path"
import { fileURLToPath } from "node:url"

const isInstalled = () => {
  try {
    module.createRequire(import.meta.url).resolve("@duckdb/node-api/package.json")
    return true
  } catch {
    return false
  }
}

/** The folder, made if need be: Node's own attempt never returns where nothing can be made, such as below /proc. */
const made = (folder) => {
  try {
    mkdirSync(folder, { mode: 0o700 })
  } catch {
    // It exists, or there is no cache.
  }
  return existsSync(folder) ? folder : undefined
}

if (!isInstalled()) {
  const folder = fileURLToPath(new URL("..", import.meta.url))
  console.error(
    `vaulthouse is not installed yet: run \`make install\` (or \`npm ci\`) in ${folder}`,
  )
  process.exitCode = 2
} else if (Number(process.versions.node.split(".")[0]) < 24) {
  console.error(
    `vaulthouse needs Node 24 or newer; this is ${process.version} (${process.execPath}).\n` +
      `npm installs one on Linux (x64, arm64), which bin/vaulthouse uses; elsewhere install it from https://nodejs.org.`,
  )
  process.exitCode = 2
} else {
  // Compiled code, in a folder that only this user can write: others can write to the system's temporary one.
  // oxlint-disable-next-line no-process-env
  const { NODE_COMPILE_CACHE, HOME } = process.env
  const caches = HOME && made(join(HOME, ".cache"))
  const cache = NODE_COMPILE_CACHE ?? (caches && made(join(caches, "vaulthouse")))
  if (cache) module.enableCompileCache(cache)
  const source = new URL("../src/cli/main.ts", import.meta.url)
  // Node is silent about what packages in node_modules do, but not when they are part of a bundle.
  if (!existsSync(source)) process.noDeprecation = true
  await import(
    existsSync(source) ? source.href : new URL("../dist/src/cli/main.js", import.meta.url).href
  )
}
