// A symbolic link to a file or folder that is not there, as on a disk that is not mounted: nothing may take its place.
import { existsSync, readlinkSync } from "node:fs"
import { basename, dirname, resolve } from "node:path"

/** The message and `found` say what is there and where it leads; `found` is for `there is …`. */
export class BrokenLink extends Error {
  override readonly name = "BrokenLink"
  readonly code = "EEXIST"
  readonly found: string
  readonly advice: string

  constructor(link: string, target: string) {
    const found = `${basename(link)}, a link to ${target}, which is not there`
    super(`there is ${found}`)
    this.found = found
    this.advice = `Nothing was changed. Mount the disk that has ${target}, or remove the link, and run this again.`
  }
}

/** `undefined` for what is no link, or one to what is there. */
export const brokenLink = (path: string): BrokenLink | undefined => {
  if (existsSync(path)) return undefined
  try {
    return new BrokenLink(path, resolve(dirname(path), readlinkSync(path)))
  } catch {
    return undefined
  }
}
