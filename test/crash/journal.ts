// Reads what effects.c has recorded.
import { readFileSync } from "node:fs"

export const kinds = [
  "open",
  "create",
  "write",
  "truncate",
  "fsync",
  "rename",
  "link",
  "symlink",
  "unlink",
  "mkdir",
  "rmdir",
] as const
export type Kind = (typeof kinds)[number]

export interface Recorded {
  readonly kind: Kind
  /** Below the folder that was recorded, without a slash at the beginning. */
  readonly path: string
  /** Of a rename or link, the second path; of a symbolic link, its target. */
  readonly path2: string
  readonly isTruncated: boolean
  /** It did not happen: an error was injected. */
  readonly isRefused: boolean
  readonly inode: bigint
  readonly offset: number
  /** The new length, of a file that was truncated. */
  readonly length: number
  readonly data: Buffer
}

const HEADER = 56

/** `root`: the folder that was recorded. */
export const readJournal = (file: string, root: string): ReadonlyArray<Recorded> => {
  const bytes = readFileSync(file)
  const effects: Array<Recorded> = []
  for (let at = 0; at < bytes.length;) {
    const kind = kinds[bytes.readUInt32LE(at)]
    if (kind === undefined) throw new Error(`${file}: no effect at byte ${at}`)
    const lengths = [bytes.readUInt32LE(at + 4), bytes.readUInt32LE(at + 8)] as const
    const flags = bytes.readUInt32LE(at + 12)
    const length = Number(bytes.readBigInt64LE(at + 32))
    const paths = at + HEADER
    const data = paths + lengths[0] + lengths[1]
    const end = data + (kind === "write" ? length : 0)
    const path2 = bytes.toString("utf8", paths + lengths[0], data)
    effects.push({
      kind,
      path: below(root, bytes.toString("utf8", paths, paths + lengths[0])),
      path2: kind === "symlink" ? path2 : below(root, path2),
      isTruncated: (flags & 2) !== 0,
      isRefused: (flags & 4) !== 0,
      inode: bytes.readBigUInt64LE(at + 16),
      offset: Number(bytes.readBigInt64LE(at + 24)),
      length,
      data: bytes.subarray(data, end),
    })
    at = end
  }
  return effects
}

const below = (root: string, path: string): string =>
  path === "" || path === root ? "" : path.slice(root.length + 1).replace(/ \(deleted\)$/, "")
