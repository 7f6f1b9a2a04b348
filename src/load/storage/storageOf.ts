// Decides what the warehouse is stored in.
import { duckdbFile } from "./file/duckdbFile.ts"
import type { LakeOptions } from "./lake/attachLake.ts"
import type { Storage } from "./Storage.ts"

/** The lake, or without one the file in `dataDir`; opens nothing yet. */
export const storageOf = async (
  dataDir: string,
  lake: LakeOptions | undefined,
): Promise<Storage> => {
  if (lake === undefined) return duckdbFile(dataDir)
  // Loaded only for a lake: a file needs no client of PostgreSQL.
  const { ducklake } = await import("./lake/ducklake.ts")
  return ducklake(lake)
}
