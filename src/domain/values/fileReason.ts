// Why a file can't be read or written, in words rather than the codes of the operating system.
import { constants } from "node:os"
import { causeMessage } from "./causeMessage.ts"

const ofFullDisk = {
  ENOSPC: "the disk is full",
  EDQUOT: "this user's part of the disk is full",
} as const

const always: Readonly<Record<string, string>> = {
  ...ofFullDisk,
  EISDIR: "this is a folder, not a file",
  EACCES: "permission denied",
  EPERM: "permission denied",
  EROFS: "the file system is read-only",
  ENAMETOOLONG: "the name is too long",
  ELOOP: "its symbolic links lead in a circle",
  EMFILE: "too many files are open",
  EFBIG: "it is larger than a file may be here (`ulimit -f`)",
}

const ofReading: Readonly<Record<string, string>> = {
  ...always,
  ENOENT: "there is no such file",
  ENOTDIR: "there is no such file",
}

const ofWriting: Readonly<Record<string, string>> = {
  ...always,
  ENOENT: "its folder does not exist",
  // Of a file that is written, or of a folder that is made for it.
  EEXIST: "a file is in the way",
  ENOTDIR: "a part of its path is a file, not a folder",
}

const codeOf = (error: unknown): string => {
  const { code, errno } = (error ?? {}) as NodeJS.ErrnoException
  // Of a quota, Node knows the number alone.
  return errno === -constants.errno.EDQUOT ? "EDQUOT" : (code ?? String(error))
}

/** From the error of reading it. */
export const readReason = (error: unknown): string => ofReading[codeOf(error)] ?? codeOf(error)

/** From the error of writing it. */
export const writeReason = (error: unknown): string => ofWriting[codeOf(error)] ?? codeOf(error)

/** What is full, if that is why writing failed: from Node's error, or one of DuckDB's, which has the system's words. */
export const fullDiskReason = (error: unknown): string | undefined => {
  const [code, text] = [codeOf(error), causeMessage(error)]
  if (code === "ENOSPC" || /no space left on device/i.test(text)) return ofFullDisk.ENOSPC
  if (code === "EDQUOT" || /disk quota exceeded/i.test(text)) return ofFullDisk.EDQUOT
  return undefined
}

/** Whether this user has no permission: from Node's error, or one of DuckDB's, or its text. */
export const isNotPermitted = (error: unknown): boolean =>
  ["EACCES", "EPERM"].includes(codeOf(error)) || /permission denied/i.test(causeMessage(error))
