// What became of every endpoint and fault, as docs/reliability.md shows it: `make matrix` writes the figures in test/faults.
import { execFileSync } from "node:child_process"
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"

interface Tried {
  /** Outcomes by fault and endpoint. */
  readonly outcomes: Readonly<Record<string, Readonly<Record<string, string>>>>
}

interface TriedMatrix extends Tried {
  readonly minutes: number
}

interface Dated {
  readonly commit: string
  readonly date: string
}

const folder = join(import.meta.dirname, "../faults/figures")
const ofMatrix = join(folder, "matrix.json")
const ofPages = join(folder, "pages.json")

const write = (file: string, tried: Tried): void => {
  const commit = execFileSync("git", ["rev-parse", "--short", "HEAD"], { encoding: "utf8" })
  const dated: Dated = { commit: commit.trim(), date: new Date().toISOString().slice(0, 10) }
  writeFileSync(file, `${JSON.stringify({ ...dated, ...tried }, null, 2)}\n`)
}

export const writeMatrix = (tried: TriedMatrix): void => write(ofMatrix, tried)
export const writePages = (tried: Tried): void => write(ofPages, tried)

const read = (file: string): unknown => JSON.parse(readFileSync(file, "utf8"))

/** The endpoints of each outcome, the most frequent one last and without their names. */
const rowOf = (fault: string, byEndpoint: Readonly<Record<string, string>>): string => {
  const groups = [...Map.groupBy(Object.entries(byEndpoint), ([, outcome]) => outcome)].toSorted(
    ([, one], [, other]) => one.length - other.length,
  )
  const texts = groups.map(([outcome, endpoints], at) =>
    at === groups.length - 1
      ? `${groups.length === 1 ? "all" : "the others"}: **${outcome}**`
      : `${endpoints.map(([name]) => name).join(", ")}: **${outcome}**`,
  )
  return `| ${fault} | ${texts.join("; ")} |`
}

const meanings = [
  [
    "**complete**: the rows are those of a run without the fault.",
    "**retried**: the same, after more requests.",
    "**as sent**: the response is one that a service may send, and the rows say what it said; the next response corrects them.",
    "**as sent, stays**: the same, but of an event, a calculation or a day that no later response is about, or as a field outside a list.",
    "**record refused**: the record that is not as documented is in quarantine, and the others landed.",
    "**refused**: the response is in quarantine.",
    "**absent**: recorded as something that the service does not have, and tried again after `unsupportedRetryDays`.",
    "**empty, rows kept**: recorded as suspicious; nothing ends by it until the next run confirms it.",
    "**no access**: recorded as skipped, with the status.",
    "**deferred**: the service asked to wait longer than a run waits.",
    "**failed**: with that kind of error.",
    "**does not apply**: the answer is the same with the fault as without it.",
    "**gap**: days of a series stay open in `ops.gaps`, and the next run reads them.",
  ].join(" "),
  "A swap is sent once, whatever happens: **confirmed** names a transaction, **refused** is what the service said, and **unknown** means that no response says whether the swap was executed. Of the verification of the key, **allowed**, **key unknown** and **forbidden** are what `doctor` reports, and **unclear** is that the response says nothing about it.",
]

export const answersSection = (): ReadonlyArray<string> => {
  const { commit, date, minutes, outcomes } = read(ofMatrix) as TriedMatrix & Dated
  const pages = read(ofPages) as Tried & Dated
  const faults = Object.entries(outcomes)
  const cells = faults.flatMap(([, byEndpoint]) => Object.values(byEndpoint))
  const apart = cells.filter((outcome) => outcome === "does not apply").length
  return [
    "## Answers of the service",
    "Every endpoint of the API document against every way in which a service can fail or misbehave: `make matrix`. Each is met in a second run, a day after the first; then a healthy run follows. After the second, an answer that can't be meant has left no row; one that a service may send is stored as it was sent, and `make fuzz` compares such rows with the response. After the third, every table with its versions equals that of a platform read without a fault; after an answer that was stored as sent, the current rows do. Each outcome but the first three has a reason in `ops.tasks`.",
    ...meanings,
    `On commit \`${commit}\`, ${date}: **${(cells.length - apart).toLocaleString("en")} pairs** of endpoint and answer, in ${minutes} minutes; in ${apart} more the answer is the usual one. All became what \`test/faults/expected.ts\` says.`,
    [
      "| answer | became |",
      "| --- | --- |",
      ...faults.map(([fault, each]) => rowOf(fault, each)),
    ].join("\n"),
    "Lists of several pages, read for the first time from a service that is wrong between them. Older ones that are out of reach are the subject of a warning of the run.",
    `On commit \`${pages.commit}\`, ${pages.date}:`,
    [
      "| pages | became |",
      "| --- | --- |",
      ...Object.entries(pages.outcomes).map(([fault, each]) => rowOf(fault, each)),
    ].join("\n"),
  ]
}
