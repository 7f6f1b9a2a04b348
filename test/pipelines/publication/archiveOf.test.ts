// What is said of an archive that can't be written, and of one that can't be read.
import { existsSync } from "node:fs"
import { constants } from "node:os"
import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { folderStore } from "../../../src/archive/folderStore.ts"
import { ArchiveDamaged } from "../../../src/archive/lines.ts"
import { changeArchive, inArchive } from "../../../src/pipelines/publication/archiveOf.ts"

const failure = (work: () => Promise<unknown>) => Effect.flip(changeArchive(work))

it.live.skipIf(!existsSync("/dev/full"))("a full disk is named, and what it needs", () =>
  Effect.gen(function* () {
    const segment = folderStore("/dev").write("full")
    const { message } = yield* failure(() =>
      segment.append(Buffer.from("x")).finally(() => segment.close()),
    )
    expect(message).toBe(
      "Writing the response archive: the disk is full. Free space there, then run again: what was not committed is read again.",
    )
  }),
)

it.live("so is a user's full quota, which Node reports by its number alone", () =>
  Effect.gen(function* () {
    const cause = Object.assign(new Error("Unknown system error -122, write"), {
      code: "Unknown system error -122",
      errno: -constants.errno.EDQUOT,
    })
    const { message } = yield* failure(() => Promise.reject(cause))
    expect(message).toBe(
      "Writing the response archive: this user's part of the disk is full. Free space there, then run again: what was not committed is read again.",
    )
  }),
)

it.live("what is damaged was read, not written", () =>
  Effect.gen(function* () {
    const damaged = new ArchiveDamaged("202606.ndjson.zst", "it ends before byte 9")
    const { message } = yield* failure(() => Promise.reject(damaged))
    expect(message).toMatch(/^Reading the response archive: .*`vaulthouse verify` lists/)
  }),
)

it.live("what this user may not read is not called damaged", () =>
  Effect.gen(function* () {
    const refused = Object.assign(new Error("EACCES: permission denied, scandir 'data/raw'"), {
      code: "EACCES",
    })
    const { message } = yield* Effect.flip(inArchive(() => Promise.reject(refused)))
    expect(message).toBe(
      "Reading the response archive: EACCES: permission denied, scandir 'data/raw'. Nothing was changed. Run this as the user that runs `vaulthouse sync`.",
    )
  }),
)
