// The archive's segments: bodies of any bytes, and whole frames even after a full disk.
import { execFile } from "node:child_process"
import { readdirSync, rmSync } from "node:fs"
import { join } from "node:path"
import { promisify } from "node:util"
import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { TestClock } from "effect/testing"
import { folderStore } from "../../src/archive/folderStore.ts"
import { ResponseArchive } from "../../src/archive/ResponseArchive.ts"
import { readWholeFrames } from "../../src/archive/readFrames.ts"
import { temporaryFolder } from "../support/temporaryFolder.ts"

const run = promisify(execFile)
const archiveProcess = join(import.meta.dirname, "../support/processes/archiveProcess.ts")

const bodies: Readonly<Record<string, Buffer>> = {
  json: Buffer.from('{"a":[1,2]}'),
  "JSON with a lone surrogate": Buffer.from(String.raw`{"a":"caf\ud83d"}`),
  "JSON with an infinite number": Buffer.from('{"a":1e400}'),
  "2,000 nested arrays": Buffer.from("[".repeat(2000) + "]".repeat(2000)),
  "JSON on two lines": Buffer.from('{"a":\n1}'),
  "JSON behind a byte order mark": Buffer.from('\uFEFF{"a":1}'),
  "what looks like a line of the archive": Buffer.from('{"commit":{"landed":[]}}'),
  html: Buffer.from("<p>\r\n\u0000</p>"),
  "bytes that are no UTF-8": Buffer.from([0x22, 0xff, 0xfe, 0x0a, 0x00, 0x22]),
  nothing: Buffer.alloc(0),
}

const about = {
  endpoint: "fees",
  method: "GET",
  url: 'http://localhost/?q=,"sha256":"',
  requestBody: null,
  inputs: '{"sha256":"x"}',
  subject: "null",
  status: 200,
}

/** What an archive of its own keeps of these bodies. */
const keeping = (
  options: Parameters<typeof ResponseArchive.layer>[0],
  ...texts: ReadonlyArray<string>
) =>
  Effect.flatMap(ResponseArchive, ({ keep }) =>
    Effect.forEach(texts, (text) => keep({ ...about, body: Buffer.from(text), isJson: true })),
  ).pipe(Effect.provide(ResponseArchive.layer(options)))

const marker = {
  runId: "run",
  pipeline: "fees",
  entity: "-",
  window: "all",
  outcome: "landed",
} as const

it.live(
  "keeps every body byte for byte, in lines that are JSON; and which commits were refused",
  () =>
    Effect.gen(function* () {
      const directory = yield* temporaryFolder
      yield* Effect.gen(function* () {
        const archive = yield* ResponseArchive
        for (const [name, body] of Object.entries(bodies)) {
          const isJson = name.includes("json") || name.includes("JSON") || name.includes("nested")
          yield* archive.keep({ ...about, body, isJson })
        }
        const again = { ...marker, landed: ["again"], notLanded: [] }
        yield* archive.refuse({ ...marker, landed: ["one"], notLanded: ["other"] })
        yield* archive.refuse(again)
        // Its commit is tried again.
        yield* archive.markCommit(again)
        yield* archive.end
      }).pipe(
        Effect.provide(
          ResponseArchive.layer({ store: folderStore(directory), runId: "run", worker: "w1" }),
        ),
      )
      yield* Effect.promise(async () => {
        const kept: Array<string | undefined> = []
        const uncommitted: Array<ReadonlyArray<string>> = []
        for await (const { responses, ends } of readWholeFrames(
          folderStore(directory),
          "run.w1.ndjson.zst",
        )) {
          uncommitted.push(...ends.map((end) => end.uncommitted))
          for (const { body, bytes } of responses) {
            kept.push(body?.toString("hex"))
            JSON.parse(bytes.toString())
          }
        }
        expect(kept).toEqual(Object.values(bodies).map((body) => body.toString("hex")))
        expect(uncommitted).toEqual([["one", "other"]])
      })
    }),
)

it.live("a full disk leaves no part of a frame, and later frames follow the last whole one", () =>
  Effect.gen(function* () {
    const directory = yield* temporaryFolder
    // Blocks of 512 or 1024 bytes: room for the first body and the last, not for the one between.
    const limited = `ulimit -S -f 64 && exec "$0" "$@"`
    const program = [process.execPath, archiveProcess, directory]
    const sizes = ["4000", "200000", "500"]
    // A larger file of compiled modules would end the process.
    const env = { ...process.env, NODE_DISABLE_COMPILE_CACHE: "1" }
    const { stdout } = yield* Effect.promise(() =>
      run("sh", ["-c", limited, ...program, ...sizes], { env }),
    )
    expect(JSON.parse(stdout)).toEqual(["kept", "refused", "kept"])
    const [segment = ""] = readdirSync(directory)
    const read = yield* Effect.promise(async () => {
      const lengths: Array<number | undefined> = []
      for await (const { responses } of readWholeFrames(folderStore(directory), segment)) {
        lengths.push(...responses.map(({ body }) => body?.length))
      }
      return lengths
    })
    expect(read).toEqual([8000, 1000])
  }),
)

it.effect("each response is later than the one before it and than what is stored already", () =>
  Effect.gen(function* () {
    const store = folderStore(yield* temporaryFolder)
    const options = { store, runId: "run", notBefore: 5_000_000 }
    yield* TestClock.setTime(3000)
    const behind = yield* keeping(options, "1", "2", "2")
    expect(behind.map(({ receivedAt }) => receivedAt)).toEqual([5_000_001, 5_000_002, 5_000_003])
    yield* TestClock.setTime(9000)
    const ahead = yield* keeping({ ...options, runId: "next" }, "1", "2")
    expect(ahead.map(({ receivedAt }) => receivedAt)).toEqual([9_000_000, 9_000_001])
  }),
)

it.live("a body that is known to be stored is not written again, unless its segment is gone", () =>
  Effect.gen(function* () {
    const directory = yield* temporaryFolder
    const store = folderStore(directory)
    const [first] = yield* keeping({ store, runId: "first" }, "[1]")
    if (first === undefined) throw new Error("nothing was kept")
    const { sha256, file, offset, length } = first
    const known = new Map([[sha256, { file, offset, length }]])
    /** The segments and places of the two responses, and the bodies in the segment of their run. */
    const kept = Effect.fnUntraced(function* (runId: string) {
      const responses = yield* keeping({ store, runId, known }, "[1]", "[2]")
      const read: Array<string | undefined> = []
      yield* Effect.promise(async () => {
        for await (const frame of readWholeFrames(store, `${runId}.ndjson.zst`)) {
          read.push(...frame.responses.map(({ body }) => body?.toString()))
        }
      })
      return { files: responses.map((response) => response.file), read }
    })
    expect(yield* kept("second")).toEqual({
      files: [file, "second.ndjson.zst"],
      read: [undefined, "[2]"],
    })
    rmSync(join(directory, file))
    expect(yield* kept("third")).toEqual({
      files: ["third.ndjson.zst", "third.ndjson.zst"],
      read: ["[1]", "[2]"],
    })
  }),
)
