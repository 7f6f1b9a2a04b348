// Why a file can't be read or written: in words, and with the system's code only where there are none.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { constants, tmpdir } from "node:os"
import { join } from "node:path"
import { expect, it, onTestFinished } from "vitest"
import {
  fullDiskReason,
  isNotPermitted,
  readReason,
  writeReason,
} from "../../../src/domain/values/fileReason.ts"

const thrownBy = (work: () => unknown): unknown => {
  try {
    work()
  } catch (error) {
    return error
  }
  throw new Error("nothing was thrown")
}

it("says in words why a file can't be read or written", () => {
  const folder = mkdtempSync(join(tmpdir(), "vaulthouse-reason-"))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const file = join(folder, "file")
  writeFileSync(file, "")
  const reading = (path: string) => readReason(thrownBy(() => readFileSync(path)))
  expect(reading(join(folder, "none"))).toBe("there is no such file")
  expect(reading(join(file, "none"))).toBe("there is no such file")
  expect(reading(folder)).toBe("this is a folder, not a file")
  const writing = (path: string) => writeReason(thrownBy(() => writeFileSync(path, "")))
  expect(writing(join(folder, "none", "x"))).toBe("its folder does not exist")
  expect(writing(join(file, "x"))).toBe("a part of its path is a file, not a folder")
  expect(writing(folder)).toBe("this is a folder, not a file")
  expect(writeReason(thrownBy(() => mkdirSync(file)))).toBe("a file is in the way")
})

it.each([readReason, writeReason])("has words for what only others than root meet", (reasonOf) => {
  expect(reasonOf({ code: "EACCES" })).toBe("permission denied")
  expect(reasonOf({ code: "EROFS" })).toBe("the file system is read-only")
  expect(reasonOf({ code: "EFBIG" })).toBe("it is larger than a file may be here (`ulimit -f`)")
  expect(reasonOf({ code: "EIO" })).toBe("EIO")
})

it("knows a full disk and a full quota from what Node and DuckDB throw", () => {
  const quota = "this user's part of the disk is full"
  // Node has neither code nor words for a quota.
  const ofNode = Object.assign(new Error("Unknown system error -122, write"), {
    code: "Unknown system error -122",
    errno: -constants.errno.EDQUOT,
  })
  expect(writeReason(ofNode)).toBe(quota)
  expect(fullDiskReason(ofNode)).toBe(quota)
  const ofDuckdb = (words: string) => new Error(`IO Error: Could not write file "/a": ${words}`)
  expect(fullDiskReason(ofDuckdb("Disk quota exceeded"))).toBe(quota)
  expect(fullDiskReason(ofDuckdb("No space left on device"))).toBe("the disk is full")
  expect(fullDiskReason({ code: "ENOSPC" })).toBe("the disk is full")
  expect(fullDiskReason(ofDuckdb("Permission denied"))).toBeUndefined()
})

it("knows a lack of permission from what Node and DuckDB throw", () => {
  expect(isNotPermitted({ code: "EPERM" })).toBe(true)
  expect(isNotPermitted(new Error('IO Error: Cannot open file "/a": Permission denied'))).toBe(true)
  expect(isNotPermitted({ code: "EROFS" })).toBe(false)
  expect(isNotPermitted(new Error("EIO: i/o error, write"))).toBe(false)
})
