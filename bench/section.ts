// Parts of docs/benchmarks.md that are measured separately. Each is kept in a file of `sections/`, from which it is
// copied when the whole page is written.
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"

export type SectionName = "latency" | "lake" | "marts" | "publication" | "dlt"

const page = join(import.meta.dirname, "../docs/benchmarks.md")

const fileOf = (name: SectionName): string => join(import.meta.dirname, `sections/${name}.md`)

export const readSection = (name: SectionName): string => readFileSync(fileOf(name), "utf8").trim()

/** Replaces the section, which begins with its heading, in its file and in the page. */
export const writeSection = (name: SectionName, text: string): void => {
  const before = readSection(name)
  writeFileSync(fileOf(name), `${text.trim()}\n`)
  writeFileSync(
    page,
    readFileSync(page, "utf8").replace(before, () => text.trim()),
  )
}
