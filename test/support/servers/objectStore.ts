// An S3 on a free port of loopback, from the npm package `s3rver`, which is installed apart: see `make test-lake`. It
// checks neither signatures nor who may do what.
import { randomBytes } from "node:crypto"
import { mkdtemp, rm } from "node:fs/promises"
import { createRequire } from "node:module"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { inject } from "vitest"
import { freePort } from "./postgres.ts"

interface S3rver {
  readonly run: () => Promise<unknown>
  readonly close: () => Promise<void>
}

const bucket = "vaulthouse-test"

export const secretKey = "S3RVER"

/** `lake` is the folder in which it is installed. */
export const startObjectStore = async (lake: string) => {
  const Server = createRequire(join(lake, "package.json"))("s3rver") as new (
    options: object,
  ) => S3rver
  const directory = await mkdtemp(join(tmpdir(), "vaulthouse-objects-"))
  const port = await freePort()
  const server = new Server({
    address: "127.0.0.1",
    port,
    silent: true,
    directory,
    vhostBuckets: false,
    configureBuckets: [{ name: bucket }],
  })
  await server.run()
  return {
    port,
    stop: async () => {
      await server.close()
      await rm(directory, { recursive: true, force: true })
    },
  }
}

/** Nothing is stored below it yet. */
export const newPrefix = (): string => `s3://${bucket}/${randomBytes(6).toString("hex")}`

/** The standard variables with which a process finds the object store at a port. */
export const objectVariables = (port: number) => ({
  AWS_ACCESS_KEY_ID: "S3RVER",
  AWS_SECRET_ACCESS_KEY: secretKey,
  AWS_REGION: "us-east-1",
  AWS_ENDPOINT_URL_S3: `http://127.0.0.1:${port}`,
})

/** Those of the object store that all tests share. */
export const objectStoreVariables = () => objectVariables(inject("objectStore"))
