// What a backup holds, as `backup` and `restore` print it.
import { counted } from "../../domain/values/numbers.ts"
import type { Backup } from "../../pipelines/backup/backupFolder.ts"
import { megabytes } from "./numbers.ts"

export const backupText = ({ files, published_at }: Backup): string => {
  const bytes = files.reduce((sum, file) => sum + file.bytes, 0)
  const asOf = published_at === undefined ? "" : `, as of the publication of ${published_at}`
  return `${counted(files.length, "file")}, ${megabytes(bytes)}${asOf}`
}
