// What `verify` checks: the published files against their manifest and each other, and every archived body
// against its hash.
import { existsSync, readdirSync } from "node:fs"
import * as Effect from "effect/Effect"
import { readSegment } from "../extract/archiveSegments.ts"
import { openPublishedCopy } from "../load/PublishedCopy.ts"
import { type Finding, verify as verifyPublished } from "../load/verify.ts"
import { archiveDirectory } from "./archived.ts"

export type { Finding } from "../load/verify.ts"

export const verify = Effect.fnUntraced(function* (dataDir: string) {
  const published = yield* verifyPublished(dataDir)
  return [...published, ...(yield* verifyArchive(dataDir))]
})

/** Reads every segment, and asks the published index whether anything is missing from them. */
const verifyArchive = Effect.fnUntraced(function* (dataDir: string) {
  const directory = archiveDirectory(dataDir)
  const findings: Array<Finding> = []
  const bodies = new Set<string>()
  const segments = existsSync(directory) ? readdirSync(directory).toSorted() : []
  for (const file of segments) {
    const problem = yield* Effect.promise(() => readBodies(directory, file, bodies))
    if (problem !== undefined) {
      findings.push({ kind: "unreadable", path: `raw/${file}`, detail: problem })
    }
  }
  const damaged = new Set(findings.map(({ path }) => path.slice("raw/".length)))
  for (const { file, sha256, responseId } of yield* indexed(dataDir)) {
    if (damaged.has(file) || bodies.has(sha256)) continue
    findings.push({
      kind: "missing",
      path: `raw/${file}`,
      detail: `the body of response ${responseId} is not in the archive`,
    })
    damaged.add(file)
  }
  return findings
})

/** Adds the segment's bodies; answers what is wrong with it. */
const readBodies = async (
  directory: string,
  file: string,
  bodies: Set<string>,
): Promise<string | undefined> => {
  try {
    for await (const { lines } of readSegment(directory, file)) {
      for (const { sha256, body } of lines) if (body !== undefined) bodies.add(sha256)
    }
    return undefined
  } catch (cause) {
    return cause instanceof Error ? cause.message : String(cause)
  }
}

/** What the published copy says is archived; nothing where there is none, which is a finding already. */
const indexed = Effect.fnUntraced(
  function* (dataDir: string) {
    const copy = yield* openPublishedCopy(dataDir)
    const rows = yield* copy.rows(
      "select response_id, body_sha256, archive_file from raw.responses order by archive_file",
    )
    return rows.map((row) => ({
      responseId: String(row["response_id"]),
      sha256: String(row["body_sha256"]),
      file: String(row["archive_file"]),
    }))
  },
  Effect.scoped,
  Effect.catchTag("ReadError", () => Effect.succeed([])),
)
