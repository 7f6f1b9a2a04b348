// The archive that the settings name: a folder, by default `raw` of the data directory, or object storage.
import { join } from "node:path"
import * as Effect from "effect/Effect"
import type { ArchiveStore } from "../../archive/ArchiveStore.ts"
import { folderStore } from "../../archive/folderStore.ts"
import { ArchiveDamaged } from "../../archive/lines.ts"
import { objectArchive } from "../../archive/objectArchive.ts"
import { ObjectStore, ObjectStoreError } from "../../archive/ObjectStore.ts"
import { writeProblem } from "../../archive/ResponseArchive.ts"
import { objectStoreAccess } from "../../config/environment/objectStoreAccess.ts"
import { isInObjectStore } from "../../domain/stores/objectStore.ts"
import { LoadError } from "../../load/errors.ts"
import type { Place } from "./warehouse.ts"
import { isNotPermitted } from "../../domain/values/fileReason.ts"
import { causeMessage } from "../../domain/values/causeMessage.ts"

export const archiveFolder = (dataDir: string): string => join(dataDir, "raw")

/** The store of the archive; opens nothing yet. */
export const archiveOf = ({ dataDir, archive = archiveFolder(dataDir) }: Place): ArchiveStore =>
  isInObjectStore(archive)
    ? objectArchive(new ObjectStore(archive, objectStoreAccess), join(dataDir, "tmp"))
    : folderStore(archive)

/** Reads segments. */
export const inArchive = <A>(work: () => Promise<A>): Effect.Effect<A, LoadError> =>
  Effect.tryPromise({ try: work, catch: readError })

/** Writes or removes segments, for which it may read others. */
export const changeArchive = <A>(work: () => Promise<A>): Effect.Effect<A, LoadError> =>
  Effect.tryPromise({ try: work, catch: writeError })

const readError = (cause: unknown): LoadError =>
  new LoadError({
    reason: "Files",
    what: "Reading the response archive",
    why: causeMessage(cause).replace(/\.$/, ""),
    advice:
      cause instanceof ObjectStoreError
        ? cause.advice
        : isNotPermitted(cause)
          ? "Nothing was changed. Run this as the user that runs `vaulthouse sync`."
          : "Nothing was changed; `vaulthouse verify` lists everything that is damaged.",
    cause,
  })

const writeError = (cause: unknown): LoadError =>
  cause instanceof ArchiveDamaged
    ? readError(cause)
    : new LoadError({
        reason: "Files",
        what: "Writing the response archive",
        ...writeProblem(cause),
        cause,
      })
