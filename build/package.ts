// Makes dist/, which the package ships: the command as one bundle of a few files, since a command that loads a thousand
// modules takes longer to start than to work. What it reads from disk lies where it lies in a checkout.
import { createHash } from "node:crypto"
import { cpSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { dirname, join, relative } from "node:path"
import { build, type Plugin } from "rolldown"
import { bundle as clientScripts } from "../src/serve/bundle.ts"
import { licensesOf } from "./licenses.ts"

const root = join(import.meta.dirname, "..")
const dist = join(root, "dist")

/** Programs that are started by their file. */
const entries = ["src/cli/main.ts", "src/load/published/read/reader/child.ts"]

/** Native code, and what only a checkout loads. */
const external = [/^@duckdb\//, /^pg-native$/, /serve\/bundle\.ts$/]

/** Modules find files next to them by `import.meta`, which in a bundle would be that of the bundle. */
const places: Plugin = {
  name: "places",
  transform(code, id) {
    const path = relative(root, id)
    if (!/^(src|simulator)\//.test(path) || !code.includes("import.meta")) return null
    const place = `../${path.replace(/\.ts$/, ".js")}`
    const placed = code
      // A `require` of a module's own stays lazy in the bundle as the bundler's.
      .replace("const require = createRequire(import.meta.url)", "")
      .replaceAll("import.meta.main", "false")
      .replaceAll(
        "import.meta.dirname",
        `(import.meta.dirname + ${JSON.stringify(`/${dirname(place)}`)})`,
      )
      .replaceAll("import.meta.filename", `(import.meta.dirname + ${JSON.stringify(`/${place}`)})`)
      .replaceAll("import.meta.url", `new URL(${JSON.stringify(place)}, import.meta.url).href`)
    // Lines stay as they are; so does the map, but for a few columns.
    return { code: placed, map: null }
  },
}

rmSync(dist, { recursive: true, force: true })
const { output } = await build({
  input: Object.fromEntries(
    entries.map((entry) => [entry.replace(/\.ts$/, ""), join(root, entry)]),
  ),
  external,
  platform: "node",
  plugins: [places],
  output: {
    dir: join(dist, "bundle"),
    format: "esm",
    minify: true,
    keepNames: true,
    sourcemap: "hidden",
    entryFileNames: (chunk) => `${chunk.name.replaceAll("/", "-")}.js`,
    chunkFileNames: "[name]-[hash].js",
  },
})
// Maps only say where a line is; the source is in the repository.
for (const file of globSync(join(dist, "bundle/*.map"))) {
  const { sourcesContent: _, ...map } = JSON.parse(readFileSync(file, "utf8"))
  writeFileSync(file, JSON.stringify(map))
}
for (const entry of entries) {
  const file = join(dist, entry.replace(/\.ts$/, ".js"))
  mkdirSync(dirname(file), { recursive: true })
  const bundled = join(dist, "bundle", entry.replace(/\.ts$/, ".js").replaceAll("/", "-"))
  writeFileSync(file, `import ${JSON.stringify(relative(dirname(file), bundled))}\n`)
}

cpSync(join(root, "warehouse"), join(dist, "warehouse"), { recursive: true })
cpSync(join(root, "package.json"), join(dist, "package.json"))
// The resources of `vaulthouse mcp`.
for (const page of ["analysts-guide.md", "glossary.md"]) {
  cpSync(join(root, "docs", page), join(dist, "docs", page))
}
const assets = join(dist, "src/serve/assets")
cpSync(join(root, "src/serve/assets"), assets, { recursive: true })
const client = await clientScripts()
for (const [file, code] of client.files) writeFileSync(join(assets, file), code)

// What the code of the load stage is, which is part of what marts are made from: there is no such folder here.
const sources = createHash("sha256")
for (const file of globSync("src/load/**/*.ts", { cwd: root }).toSorted()) {
  sources.update(readFileSync(join(root, file)))
}
mkdirSync(join(dist, "src/load"), { recursive: true })
writeFileSync(join(dist, "src/load", sources.digest("hex")), "")

const modules = output.flatMap((file) => (file.type === "chunk" ? file.moduleIds : []))
writeFileSync(join(dist, "LICENSES.txt"), licensesOf([...modules, ...client.modules]))
