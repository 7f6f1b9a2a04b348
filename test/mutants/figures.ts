// The figures of `make mutants`, in test/mutants/figures.json.
import { writeFileSync } from "node:fs"
import { join } from "node:path"

export interface MutantFigures {
  /** Of the source and the tests. */
  readonly commit: string
  readonly date: string
  readonly minutes: number
  readonly seed: number
  /** Places that could be changed, in so many files. */
  readonly mutations: number
  readonly files: number
  /** How many of them a whole run tries, and how many of those it has tried so far. */
  readonly chosen: number
  readonly tried: number
  /** By a test that failed, and by tests that did not end; both count as noticed. */
  readonly noticed: number
  readonly hung: number
  /** Need not be noticed: test/mutants/judged.ts has the reasons. */
  readonly judged: number
  /** Noticed by none of the tests that were tried. */
  readonly survivors: ReadonlyArray<{
    readonly file: string
    readonly line: number
    readonly text: string
    readonly replacement: string
  }>
  /** How many of those no test reaches. */
  readonly unreached: number
  /** Tests that fail where nothing is changed but that each statement writes down that it was reached: not tried. */
  readonly red: ReadonlyArray<string>
}

export const writeFigures = (figures: MutantFigures): void =>
  writeFileSync(join(import.meta.dirname, "figures.json"), `${JSON.stringify(figures, null, 2)}\n`)
