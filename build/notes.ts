// The section of CHANGELOG.md on this version, for the page of the release. Fails if there is none. node build/notes.ts
import { readFileSync } from "node:fs"
import { join } from "node:path"

const read = (file: string) => readFileSync(join(import.meta.dirname, "..", file), "utf8")
const { version } = JSON.parse(read("package.json")) as { version: string }

const section = read("CHANGELOG.md")
  .split(/^(?=## )/m)
  .find((each) => each.startsWith(`## ${version} `))
if (section === undefined) throw new Error(`CHANGELOG.md has no section on ${version}`)
process.stdout.write(section.replace(/^## .*\n+/, "").trimEnd() + "\n")
