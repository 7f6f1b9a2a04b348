// A judgement that names a line which is no longer there judges nothing.
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "@effect/vitest"
import { judgedSurvivors, judgementOf } from "./judged.ts"
import { mutationsOf } from "./mutations.ts"

const root = join(import.meta.dirname, "../..")

describe("the changes that no test need notice", () => {
  it.each(judgedSurvivors)("are changes of the source: $file, $line", (judged) => {
    const text = readFileSync(join(root, judged.file), "utf8")
    const found = mutationsOf(text).map((mutation) => judgementOf(judged.file, text, mutation))
    expect(found).toContain(judged)
  })
})
