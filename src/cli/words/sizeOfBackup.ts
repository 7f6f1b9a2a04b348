// How large a backup is, as `backup` and `restore` print it.
import { counted } from "../../domain/values/numbers.ts"
import type { Backup } from "../../pipelines/backup/backupFolder.ts"
import { megabytes } from "./numbers.ts"

export const sizeOfBackup = ({ files }: Backup): string => {
  const bytes = files.reduce((sum, file) => sum + file.bytes, 0)
  return `${counted(files.length, "file")}, ${megabytes(bytes)}`
}
