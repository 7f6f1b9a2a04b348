// Standard output or error in a file: every byte is written, or the error is known. Node's own stream for files takes a write
// that was cut short, as where the disk becomes full in it, for a whole one.
import { fstatSync, writeFileSync } from "node:fs"
import { Writable } from "node:stream"

/**
 * A stream into the file that this descriptor is; `undefined` if it is none. With `isLog`, what can't be written is left out: the
 * disk that was full may have room for the next line.
 */
export const fileSink = (descriptor: number, isLog = false): Writable | undefined =>
  isFile(descriptor)
    ? new Writable({
        decodeStrings: true,
        write: (chunk: Buffer, _encoding, done) => {
          try {
            writeFileSync(descriptor, chunk)
            done()
          } catch (cause) {
            done(isLog ? null : (cause as Error))
          }
        },
      })
    : undefined

const isFile = (descriptor: number): boolean => {
  try {
    return fstatSync(descriptor).isFile()
  } catch {
    // It is closed.
    return false
  }
}
