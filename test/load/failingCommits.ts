// A warehouse of which a transaction fails just before its COMMIT.
import { duckdbFile } from "../../src/load/storage/file/duckdbFile.ts"
import type { Database, Storage } from "../../src/load/storage/Storage.ts"

/** A file whose next transaction fails with what `fail` was called with. */
export const failingCommits = (dataDir: string) => {
  let failure: Error | undefined
  const storage = duckdbFile(dataDir)
  const open: Storage["open"] = async (options, tables) => {
    const database = await storage.open(options, tables)
    const exclusively: Database["exclusively"] = (work) =>
      database.exclusively((turn) =>
        work({
          ...turn,
          beforeCommit: async () => {
            const cause = failure
            failure = undefined
            if (cause !== undefined) throw cause
          },
        }),
      )
    return { ...database, exclusively }
  }
  return { storage: { ...storage, open }, fail: (cause: Error) => (failure = cause) }
}
