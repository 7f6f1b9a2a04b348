// What `verify` checks: the published files against their manifest and each other, and every archived body
// against its hash.
import { existsSync, readdirSync } from "node:fs"
import * as Effect from "effect/Effect"
import { surveySegment } from "../../extract/surveySegment.ts"
import { openPublishedCopy } from "../../load/PublishedCopy.ts"
import { type Finding, verify as verifyPublished } from "../../load/verify.ts"
import { archiveDirectory } from "./archived.ts"

export type { Finding } from "../../load/verify.ts"

export const verify = Effect.fnUntraced(function* (dataDir: string) {
  const published = yield* verifyPublished(dataDir)
  return [...published, ...(yield* verifyArchive(dataDir))]
})

/** Reads every segment past its damage, and asks the published index whether anything is missing from them. */
const verifyArchive = Effect.fnUntraced(function* (dataDir: string) {
  const directory = archiveDirectory(dataDir)
  const index = yield* indexed(dataDir)
  const placed = Map.groupBy(index, ({ file }) => file)
  const findings: Array<Finding> = []
  const bodies = new Set<string>()
  const damaged = new Set<string>()
  const segments = existsSync(directory) ? readdirSync(directory).toSorted() : []
  for (const file of segments) {
    const known = new Set(placed.get(file)?.map(({ offset }) => offset))
    const read = yield* Effect.promise(() => readBodies(directory, file, known))
    for (const sha256 of read.bodies) bodies.add(sha256)
    for (const { offset, detail } of read.damages) {
      damaged.add(`${file} ${offset}`)
      findings.push({ kind: "unreadable", path: `raw/${file}`, detail })
    }
  }
  const lost = index.filter(({ sha256 }) => !bodies.has(sha256))
  return [...findings, ...missing(lost, new Set(segments), damaged)]
})

interface IndexedBody {
  readonly responseId: string
  readonly sha256: string
  readonly file: string
  readonly offset: number
}

/** One finding for a segment that is gone, else one for each frame; not for those known to be damaged. */
const missing = (
  lost: ReadonlyArray<IndexedBody>,
  segments: ReadonlySet<string>,
  damaged: ReadonlySet<string>,
): ReadonlyArray<Finding> => {
  const byPlace = Map.groupBy(lost, ({ file, offset }) =>
    segments.has(file) ? `${file} ${offset}` : file,
  )
  return [...byPlace].flatMap(([place, [first, ...others]]) => {
    if (first === undefined || damaged.has(place)) return []
    const { file, offset, responseId } = first
    const more = others.length === 0 ? "" : ` and of ${others.length} more`
    const detail = segments.has(file)
      ? `the body of response ${responseId}${more} is not in the archive; its frame was at byte ${offset}`
      : `the segment is gone, and with it the body of response ${responseId}${more}`
    return [{ kind: "missing" as const, path: `raw/${file}`, detail }]
  })
}

interface Survey {
  readonly bodies: ReadonlyArray<string>
  /** Without an offset where the whole file can't be read. */
  readonly damages: ReadonlyArray<{ readonly offset?: number; readonly detail: string }>
}

const readBodies = async (
  directory: string,
  file: string,
  known: ReadonlySet<number>,
): Promise<Survey> => {
  const bodies: Array<string> = []
  const damages: Array<Survey["damages"][number]> = []
  try {
    for await (const { offset, lines, damage } of surveySegment(directory, file, known)) {
      for (const { sha256, body } of lines) if (body !== undefined) bodies.push(sha256)
      if (damage !== undefined) damages.push({ offset, detail: damage })
    }
  } catch (cause) {
    damages.push({ detail: cause instanceof Error ? cause.message : String(cause) })
  }
  return { bodies, damages }
}

/** What the published copy says is archived; nothing where there is none, which is a finding already. */
const indexed = Effect.fnUntraced(
  function* (dataDir: string) {
    const copy = yield* openPublishedCopy(dataDir)
    const rows = yield* copy.rows(
      "select response_id, body_sha256, archive_file, archive_offset from raw.responses order by archive_file, archive_offset",
    )
    return rows.map((row): IndexedBody => ({
      responseId: String(row["response_id"]),
      sha256: String(row["body_sha256"]),
      file: String(row["archive_file"]),
      offset: Number(row["archive_offset"]),
    }))
  },
  Effect.scoped,
  Effect.catchTag("ReadError", () => Effect.succeed([])),
)
