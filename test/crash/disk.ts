// What is on a disk: the files as processes see them, and what of them a power cut leaves.
import { createHash } from "node:crypto"
import {
  closeSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  readSync,
  symlinkSync,
  writeFileSync,
} from "node:fs"
import { basename, dirname, join } from "node:path"
import type { Recorded } from "./journal.ts"

class File {
  content: Buffer
  /** At its last flush. */
  flushed: Buffer
  constructor(content: Buffer) {
    this.content = content
    this.flushed = content
  }
}

class Link {
  readonly target: string
  constructor(target: string) {
    this.target = target
  }
}

type Entry = File | Link | Folder

class Folder {
  entries = new Map<string, Entry>()
  /** At its last flush. */
  flushed = new Map<string, Entry>()
  /** Names of what was moved to another folder that was not flushed since: a rename happens as a whole, or not at all. */
  readonly leaving = new Map<string, Entry>()
}

const empty = Buffer.alloc(0)

/** Files by path, and folders, whose paths end with a slash. */
export type State = ReadonlyMap<string, Buffer | string>

/** How the files are read after a death. */
export type Cut = "kill" | "data" | "names"

export class Disk {
  readonly root = new Folder()
  readonly #files = new Map<bigint, File>()

  /** A disk with everything below a folder, flushed. */
  static of(folder: string): Disk {
    const disk = new Disk()
    const add = (to: Folder, path: string): void => {
      for (const name of readdirSync(path)) {
        const full = join(path, name)
        const about = lstatSync(full)
        const entry = about.isSymbolicLink()
          ? new Link(readlinkSync(full))
          : about.isDirectory()
            ? new Folder()
            : disk.#known(BigInt(about.ino), full)
        if (entry instanceof Folder) add(entry, full)
        to.entries.set(name, entry)
      }
      to.flushed = new Map(to.entries)
    }
    add(disk.root, folder)
    // The record has inodes of another copy of these files.
    disk.#files.clear()
    return disk
  }

  /** Two names of one file are one file here too. */
  #known(inode: bigint, path: string): File {
    const file = this.#files.get(inode) ?? new File(readFileSync(path))
    this.#files.set(inode, file)
    return file
  }

  #folder(path: string): Folder {
    let folder = this.root
    for (const name of path === "" || path === "." ? [] : path.split("/")) {
      const next = folder.entries.get(name)
      if (!(next instanceof Folder)) throw new Error(`no folder ${path}`)
      folder = next
    }
    return folder
  }

  #entry(path: string): Entry | undefined {
    return path === "" ? this.root : this.#folder(dirname(path)).entries.get(basename(path))
  }

  #file({ inode, path }: Recorded): File {
    const known = this.#files.get(inode) ?? this.#entry(path)
    if (!(known instanceof File)) throw new Error(`no file ${path}`)
    this.#files.set(inode, known)
    return known
  }

  apply(effect: Recorded): void {
    const { kind, path, path2, inode } = effect
    const parent = () => this.#folder(dirname(path))
    switch (kind) {
      case "open":
        break
      case "create": {
        if (effect.isTruncated) this.#file(effect).content = empty
        else {
          const file = new File(empty)
          this.#files.set(inode, file)
          parent().entries.set(basename(path), file)
        }
        break
      }
      case "write":
      case "truncate": {
        const file = this.#file(effect)
        file.content = changed(file.content, effect)
        break
      }
      case "fsync": {
        const entry = this.#entry(path)
        if (entry instanceof Folder) this.#flushFolder(entry)
        else if (this.#files.has(inode) || entry instanceof File) {
          const file = this.#file(effect)
          file.flushed = file.content
        }
        break
      }
      case "rename": {
        const from = parent()
        const to = this.#folder(dirname(path2))
        const entry = from.entries.get(basename(path))
        if (entry === undefined) throw new Error(`nothing at ${path}`)
        from.entries.delete(basename(path))
        to.entries.set(basename(path2), entry)
        if (from !== to) from.leaving.set(basename(path), entry)
        break
      }
      case "link": {
        const entry = this.#entry(path)
        if (entry === undefined) throw new Error(`nothing at ${path}`)
        this.#folder(dirname(path2)).entries.set(basename(path2), entry)
        break
      }
      case "symlink":
        parent().entries.set(basename(path), new Link(path2))
        break
      case "mkdir":
        parent().entries.set(basename(path), new Folder())
        break
      case "unlink":
      case "rmdir":
        parent().entries.delete(basename(path))
        break
    }
  }

  #flushFolder(folder: Folder): void {
    const arrived = new Set(folder.entries.values())
    folder.flushed = new Map(folder.entries)
    for (const [name, entry] of folder.leaving) {
      if (!folder.flushed.has(name)) folder.flushed.set(name, entry)
    }
    const settle = (each: Folder): void => {
      for (const [name, entry] of each.leaving) {
        if (!arrived.has(entry)) continue
        each.leaving.delete(name)
        if (each.flushed.get(name) === entry) each.flushed.delete(name)
      }
      for (const entry of [...each.entries.values(), ...each.flushed.values()]) {
        if (entry instanceof Folder) settle(entry)
      }
    }
    settle(this.root)
  }

  state(cut: Cut): State {
    const found = new Map<string, Buffer | string>()
    const walk = (folder: Folder, at: string): void => {
      for (const [name, entry] of cut === "names" ? folder.flushed : folder.entries) {
        const path = at + name
        if (entry instanceof Folder) {
          found.set(`${path}/`, "")
          walk(entry, `${path}/`)
        } else if (entry instanceof Link) found.set(path, entry.target)
        else found.set(path, cut === "kill" ? entry.content : entry.flushed)
      }
    }
    walk(this.root, "")
    return found
  }

  /** As after a kill in the middle of the write that comes next. */
  torn(effect: Recorded): State | undefined {
    if (effect.kind !== "write" || effect.data.length < 2) return undefined
    const file = this.#file(effect)
    const { content } = file
    file.content = changed(content, {
      ...effect,
      data: effect.data.subarray(0, effect.data.length >> 1),
    })
    const state = this.state("kill")
    file.content = content
    return state
  }
}

/** Always another buffer: what is flushed stays as it was. */
const changed = (content: Buffer, { kind, offset, length, data }: Recorded): Buffer => {
  const end = kind === "truncate" ? length : Math.max(content.length, offset + data.length)
  const result = Buffer.alloc(end)
  content.copy(result, 0, 0, Math.min(content.length, end))
  if (kind === "write") data.copy(result, offset)
  return result
}

const hashes = new WeakMap<Buffer, string>()

const hashOf = (content: Buffer): string => {
  const known = hashes.get(content) ?? createHash("sha1").update(content).digest("hex")
  hashes.set(content, known)
  return known
}

/** Equal for equal files whose paths begin with `below`. */
export const digestOf = (state: State, below = ""): string => {
  const hash = createHash("sha1")
  const paths = [...state.keys()].filter((path) => path.startsWith(below)).toSorted()
  for (const path of paths) {
    const content = state.get(path) ?? ""
    hash.update(`${path}\n${typeof content === "string" ? content : hashOf(content)}\n`)
  }
  return hash.digest("hex")
}

// One for all files: a buffer for each keeps the garbage collector busy for a tenth of a proof.
const read = Buffer.alloc(1 << 24)

/** What `hashOf` finds in the file's content. */
const hashOfFile = (path: string): string => {
  const hash = createHash("sha1")
  const file = openSync(path, "r")
  for (let length = readSync(file, read); length > 0; length = readSync(file, read)) {
    hash.update(read.subarray(0, length))
  }
  closeSync(file)
  return hash.digest("hex")
}

/** Files below a folder as they are now, with hashes in place of their contents: for `digestOf`. */
export const stateOf = (folder: string): State => {
  const found = new Map<string, string>()
  const walk = (at: string): void => {
    for (const entry of readdirSync(join(folder, at), { withFileTypes: true })) {
      const path = at + entry.name
      if (entry.isDirectory()) {
        found.set(`${path}/`, "")
        walk(`${path}/`)
      } else if (entry.isSymbolicLink()) found.set(path, readlinkSync(join(folder, path)))
      else found.set(path, hashOfFile(join(folder, path)))
    }
  }
  walk("")
  return found
}

/** Writes the files into an empty folder. */
export const materialise = (state: State, folder: string): void => {
  for (const [path, content] of state) {
    const full = join(folder, path)
    if (path.endsWith("/")) mkdirSync(full, { recursive: true, mode: 0o700 })
    else if (typeof content === "string") symlinkSync(content, full)
    else writeFileSync(full, content, { mode: 0o600 })
  }
}
