// What a power cut would leave of files: of each as much as was flushed, under names whose folder was flushed since.
import fs, {
  closeSync,
  existsSync,
  fstatSync,
  lstatSync,
  openSync,
  readdirSync,
  statSync,
} from "node:fs"
import { type FileHandle, open } from "node:fs/promises"
import { syncBuiltinESMExports } from "node:module"
import { join } from "node:path"
import * as Effect from "effect/Effect"

type Flush = (this: FileHandle) => Promise<void>

/** Knows every flush by this process from here to the end of the scope, except those of DuckDB's own. */
export class FlushedDisk {
  // By inode, since a file is flushed under one name and then renamed.
  readonly #bytes = new Map<number, number>()
  readonly #names = new Map<number, ReadonlyMap<string, number>>()

  /** What to keep once the flush is over: what is written meanwhile may be lost. */
  #asOf(descriptor: number): () => void {
    const { ino, size } = fstatSync(descriptor)
    const path = `/proc/self/fd/${descriptor}`
    if (!statSync(path).isDirectory()) return () => void this.#bytes.set(ino, size)
    const names = new Map(readdirSync(path).map((name) => [name, lstatSync(join(path, name)).ino]))
    return () => void this.#names.set(ino, names)
  }

  static readonly watched = Effect.acquireRelease(
    Effect.promise(async () => {
      const disk = new FlushedDisk()
      const handle = await open(import.meta.filename)
      const prototype = Object.getPrototypeOf(handle) as Record<"sync" | "datasync", Flush>
      await handle.close()
      const { sync, datasync } = prototype
      const { fsyncSync } = fs
      const watching = (flush: Flush): Flush =>
        async function watched() {
          const keep = disk.#asOf(this.fd)
          await flush.call(this)
          keep()
        }
      Object.assign(prototype, { sync: watching(sync), datasync: watching(datasync) })
      fs.fsyncSync = (descriptor) => {
        const keep = disk.#asOf(descriptor)
        fsyncSync(descriptor)
        keep()
      }
      syncBuiltinESMExports()
      const restore = (): void => {
        Object.assign(prototype, { sync, datasync })
        fs.fsyncSync = fsyncSync
        syncBuiltinESMExports()
      }
      return { disk, restore }
    }),
    ({ restore }) => Effect.sync(restore),
  ).pipe(Effect.map(({ disk }) => disk))

  /** The content that would be left of a file below a folder; nothing if a name on the way to it would be lost. */
  left(folder: string, path: string): Buffer | undefined {
    let at = folder
    for (const name of path.split("/")) {
      const next = join(at, name)
      if (!existsSync(next)) return undefined
      if (this.#names.get(statSync(at).ino)?.get(name) !== lstatSync(next).ino) return undefined
      at = next
    }
    const bytes = this.#bytes.get(statSync(at).ino)
    if (bytes === undefined) return undefined
    const content = Buffer.alloc(bytes)
    const descriptor = openSync(at, "r")
    try {
      fs.readSync(descriptor, content, 0, bytes, 0)
    } finally {
      closeSync(descriptor)
    }
    return content
  }
}
