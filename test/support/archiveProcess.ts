// An archive in a process of its own, for a limit on the size of its files: three bodies of these sizes, one after the
// other, and what became of each. node test/support/archiveProcess.ts DIRECTORY BYTES…
import { randomBytes } from "node:crypto"
import * as Effect from "effect/Effect"
import { ResponseArchive } from "../../src/extract/ResponseArchive.ts"

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
        // What is random does not become smaller.
        body: randomBytes(Number(size)).toString("hex"),
        isJson: false,
      })
      .pipe(
        Effect.as("kept"),
        Effect.catchTag("ArchiveError", () => Effect.succeed("refused")),
      ),
  )
})

// The limit's signal, which ends a process that does not expect it.
process.on("SIGXFSZ", () => undefined)
const archive = ResponseArchive.layer({ directory, runId: "20260601T000000Z-000000" })
process.stdout.write(JSON.stringify(await Effect.runPromise(Effect.provide(kept, archive))))
