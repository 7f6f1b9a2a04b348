// Why a file can't be read or written, in words rather than the codes of the operating system.

const always: Readonly<Record<string, string>> = {
  EISDIR: "this is a folder, not a file",
  EACCES: "permission denied",
  EPERM: "permission denied",
  EROFS: "the file system is read-only",
  ENOSPC: "the disk is full",
  EDQUOT: "this user's part of the disk is full",
  ENAMETOOLONG: "the name is too long",
  ELOOP: "its symbolic links lead in a circle",
  EMFILE: "too many files are open",
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

const codeOf = (error: unknown): string => (error as NodeJS.ErrnoException).code ?? String(error)

/** From the error of reading it. */
export const readReason = (error: unknown): string => ofReading[codeOf(error)] ?? codeOf(error)

/** From the error of writing it. */
export const writeReason = (error: unknown): string => ofWriting[codeOf(error)] ?? codeOf(error)
