// Takes from an image, unpacked from a Docker archive, what differs each time: the names of the containers it was built in.
// Prints the names of the files that remain. node build/imageConfig.ts FOLDER NAME
import { createHash } from "node:crypto"
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"

const [folder = "", name = ""] = process.argv.slice(2)
const read = (file: string): unknown => JSON.parse(readFileSync(join(folder, file), "utf8"))

const [image] = read("manifest.json") as ReadonlyArray<{ Config: string; Layers: Array<string> }>
if (image === undefined) throw new Error(`there is no image in ${folder}`)
const isOfContainer = (key: string) => key === "container" || key === "Hostname"
const config = JSON.stringify(read(image.Config), (key, value: unknown) =>
  isOfContainer(key) ? undefined : value,
)
const file = `${createHash("sha256").update(config).digest("hex")}.json`
writeFileSync(join(folder, file), config)
const manifest = [{ Config: file, RepoTags: [name], Layers: image.Layers }]
writeFileSync(join(folder, "manifest.json"), JSON.stringify(manifest))
process.stdout.write([file, "manifest.json", ...image.Layers].join("\n"))
