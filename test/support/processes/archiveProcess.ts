// An archive in its own process, whose file size a test limits: keeps bodies of these sizes and prints the results.
// node test/support/processes/archiveProcess.ts DIRECTORY BYTES…
import { randomBytes } from "node:crypto"
import * as Effect from "effect/Effect"
import { folderStore } from "../../../src/archive/folderStore.ts"
import { ResponseArchive } from "../../../src/archive/ResponseArchive.ts"

const [directory = "", ...sizes] = process.argv.slice(2)

const kept = Effect.gen(function* () {
  const archive = yield* ResponseArchive
  return yield* Effect.forEach(sizes, (size) =>
    archive
      .keep({
        endpoint: "fees",
        method: "GET",
        url: "http://localhost/fees",
        requestBody: null,
        inputs: "{}",
        subject: "null",
        status: 200,
        // Random bytes don't compress.
        body: Buffer.from(randomBytes(Number(size)).toString("hex")),
        isJson: false,
      })
      .pipe(
        Effect.as("kept"),
        Effect.catchTag("ArchiveError", () => Effect.succeed("refused")),
      ),
  )
})

// The signal of the limit, which would end the process.
process.on("SIGXFSZ", () => undefined)
const archive = ResponseArchive.layer({
  store: folderStore(directory),
  runId: "20260601T000000Z-000000",
})
process.stdout.write(JSON.stringify(await Effect.runPromise(Effect.provide(kept, archive))))
