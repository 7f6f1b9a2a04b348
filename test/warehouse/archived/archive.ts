// Reads the response archive by itself: zstd frames of JSON lines, each a response with its address and body. Nothing of
// src/ is used, so that what is worked out from it is worked out a second time.
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { zstdDecompressSync } from "node:zlib"

export interface Archived {
  readonly url: URL
  /** Milliseconds since 1970. */
  readonly receivedAt: number
  readonly body: unknown
}

interface Line {
  readonly url?: string
  readonly status?: number
  /** Microseconds since 1970. */
  readonly received_at?: number
  readonly sha256?: string
  readonly body?: unknown
  readonly is_elsewhere?: boolean
}

// The first bytes of each frame (RFC 8878).
const MAGIC = Buffer.from([0x28, 0xb5, 0x2f, 0xfd])

/** Frames end where the next one begins; what only looks like a beginning does not decompress. */
const contentOf = (segment: Buffer): string => {
  const parts: Array<string> = []
  let from = 0
  for (let next = segment.indexOf(MAGIC, 1); from < segment.length;) {
    const to = next === -1 ? segment.length : next
    try {
      parts.push(zstdDecompressSync(segment.subarray(from, to)).toString())
      from = to
    } catch (error) {
      if (next === -1) throw error
    }
    next = next === -1 ? -1 : segment.indexOf(MAGIC, next + 1)
  }
  return parts.join("")
}

/** Every successful response with a JSON body, the oldest first. */
export const archivedIn = (dataDir: string): ReadonlyArray<Archived> => {
  const raw = join(dataDir, "raw")
  const lines = readdirSync(raw, { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".ndjson.zst"))
    .flatMap((file) => contentOf(readFileSync(join(raw, file))).split("\n"))
    .filter((text) => text !== "")
    .map((text) => JSON.parse(text) as Line)
  const bodies = new Map(
    lines.flatMap(({ sha256 = "", body }) => (body === undefined ? [] : [[sha256, body] as const])),
  )
  return lines
    .flatMap(({ url, status, received_at: at, sha256 = "" }) =>
      url === undefined || status !== 200 || at === undefined || !bodies.has(sha256)
        ? []
        : [{ url: new URL(url), receivedAt: at / 1000, body: bodies.get(sha256) }],
    )
    .toSorted((one, other) => one.receivedAt - other.receivedAt)
}
