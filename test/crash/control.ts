// Arms effects.c, which shares a file of 4096 bytes with this process and those it starts.
import { closeSync, openSync, readSync, writeFileSync, writeSync } from "node:fs"
import { constants } from "node:os"
import { type Kind, kinds } from "./journal.ts"

const BYTES = 4096

export const createControl = (file: string): void => writeFileSync(file, Buffer.alloc(BYTES))

export interface Failure {
  readonly way: "kill" | "once" | "on"
  readonly error: keyof typeof constants.errno
  /** Which effect, among those of these kinds, from 1. */
  readonly at: number
  readonly kinds: ReadonlyArray<Kind>
  /** With `on`: what fails from there on. */
  readonly after?: ReadonlyArray<Kind>
}

const maskOf = (of: ReadonlyArray<Kind>): bigint =>
  BigInt(of.reduce((sum, kind) => sum | (1 << kinds.indexOf(kind)), 0))

const ways = { kill: 1, once: 2, on: 3 } as const

/** Effects are recorded and counted from now on, and fail as `failure` says. */
export const arm = (file: string, failure?: Failure): void => {
  const bytes = Buffer.alloc(BYTES)
  bytes.writeInt32LE(1, 0)
  if (failure !== undefined) {
    bytes.writeInt32LE(ways[failure.way], 136)
    bytes.writeInt32LE(constants.errno[failure.error], 140)
    bytes.writeBigInt64LE(BigInt(failure.at), 144)
    bytes.writeBigInt64LE(maskOf(failure.kinds), 152)
    bytes.writeBigInt64LE(maskOf(failure.after ?? []), 176)
  }
  put(file, bytes)
}

export interface Counted {
  readonly byKind: Readonly<Record<Kind, number>>
  /** Effects of the failure's kinds, and how many of them failed. */
  readonly seen: number
  readonly failed: number
}

/** Ends that, and says what was counted. */
export const disarm = (file: string): Counted => {
  put(file, Buffer.alloc(4))
  const bytes = Buffer.alloc(BYTES)
  const handle = openSync(file, "r")
  readSync(handle, bytes, 0, BYTES, 0)
  closeSync(handle)
  const count = (at: number): number => Number(bytes.readBigInt64LE(at))
  return {
    byKind: Object.fromEntries(kinds.map((kind, at) => [kind, count(8 + 8 * at)])) as Record<
      Kind,
      number
    >,
    seen: count(160),
    failed: count(168),
  }
}

const put = (file: string, bytes: Buffer): void => {
  const handle = openSync(file, "r+")
  writeSync(handle, bytes, 0, bytes.length, 0)
  closeSync(handle)
}
