// Six pages of one partition that a runner reads into a real warehouse, some of which can't be stored.
import { join } from "node:path"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import { folderStore } from "../../../src/archive/folderStore.ts"
import { ResponseArchive } from "../../../src/archive/ResponseArchive.ts"
import type { ApiError } from "../../../src/domain/wire/errors.ts"
import type { Table } from "../../../src/domain/table/table.ts"
import { ApiClient } from "../../../src/extract/ApiClient.ts"
import { Warehouse } from "../../../src/load/Warehouse.ts"
import { coreTables, pipelines as catalog } from "../../../src/pipelines/pipelines.ts"
import type { AnyPipeline } from "../../../src/pipelines/model/Pipeline.ts"
import type { OnProgress } from "../../../src/pipelines/model/progress.ts"
import { defaultRunSettings } from "../../../src/pipelines/model/runSettings.ts"
import type { TaskResult } from "../../../src/pipelines/model/TaskResult.ts"
import { Runner } from "../../../src/pipelines/run/Runner.ts"
import { latest, reading, readings, rowsOf } from "../../load/sample.ts"

export const TASK_SECONDS = 60

const otc = catalog.find(({ name }) => name === "otc_positions")

/** A column that the table is stored without, so that only the database can refuse its rows, and for no fault of theirs. */
const notAsStored: Table = {
  ...latest,
  columns: [...latest.columns, { name: "missing", type: "text", comment: "Missing" }],
}

interface Faults {
  /** The page with a value that can't be stored. */
  readonly impossible?: number
  /** The page whose commit fails for another reason. */
  readonly failing?: number
  /** The page whose response is not among those of its task. */
  readonly unnamed?: number
  /** Whether a gap can stand for a page. */
  readonly haveDays?: boolean
  /** What reading ends with after page 2, or waits for. */
  readonly afterSecond?: Effect.Effect<never, ApiError>
  /** Runs once the commit of a window is marked, after which nothing keeps it from being queued. */
  readonly onMarked?: (window: string) => Effect.Effect<unknown>
  readonly onProgress?: OnProgress
}

/** The archive, and what a test does once it has marked a commit. */
const observed = <E, R>(
  archive: Layer.Layer<ResponseArchive, E, R>,
  onMarked: (window: string) => Effect.Effect<unknown>,
): Layer.Layer<ResponseArchive, E, R> =>
  Layer.effect(
    ResponseArchive,
    Effect.map(ResponseArchive, (real) =>
      ResponseArchive.of({
        ...real,
        markCommit: (marker) => Effect.andThen(real.markCommit(marker), onMarked(marker.window)),
      }),
    ),
  ).pipe(Layer.provide(archive))

/** Reads pages 1 to 6 of a partition from its cursor on. Returns the ids of their responses. */
export const readPages = (dataDir: string, runId: string, faults: Faults = {}) => {
  if (otc === undefined) throw new Error("no such pipeline")
  const ids: Array<string> = []
  const page = Effect.fnUntraced(function* (n: number) {
    const archive = yield* ResponseArchive
    const response = yield* archive.keep({
      endpoint: otc.endpoint.name,
      method: "GET",
      url: `http://localhost/${n}`,
      requestBody: null,
      inputs: `{"page":${n}}`,
      subject: "null",
      status: 200,
      body: Buffer.from("{}"),
      isJson: true,
    })
    ids[n] = response.responseId
    const rows = rowsOf(readings, [reading("a", n, n === faults.impossible ? Number.NaN : n)])
    const others = rowsOf(notAsStored, n === faults.failing ? [{ vault_address: "a" }] : [])
    return {
      window: `${n}`,
      ...(faults.haveDays === true ? { gapIfRefused: { from: n, to: n } } : {}),
      rows: [rows, others].map((each) => ({ ...each, lineage: response })),
      responses: n === faults.unnamed ? [] : [response],
      requests: 1,
      // From the third page on, records have a new field.
      drift: n < 3 ? [] : [{ path: "$.new", kind: "unknown_field", detail: "a new field" }],
      cursor: { entity: "a", value: n },
    } satisfies TaskResult
  })
  const pipeline: AnyPipeline = {
    ...otc,
    read: (_, { cursor }) =>
      Stream.range(Number(cursor("a") ?? 0) + 1, 6).pipe(
        Stream.mapEffect((n) =>
          n === 3 && faults.afterSecond !== undefined ? faults.afterSecond : Effect.orDie(page(n)),
        ),
      ) as never,
  }
  const services = Layer.mergeAll(
    Warehouse.layer({ dataDir, tables: [...coreTables, readings, latest], runId }),
    observed(
      ResponseArchive.layer({ store: folderStore(join(dataDir, "raw")), runId }),
      faults.onMarked ?? (() => Effect.void),
    ),
    Layer.mock(ApiClient)({ clockSkewSeconds: Effect.succeed(undefined) }),
  )
  return Effect.gen(function* () {
    const cursors = (yield* (yield* Warehouse).cursors)(pipeline.name)
    const { onProgress = () => undefined } = faults
    const options = { runId, taskTimeoutSeconds: TASK_SECONDS, hasKey: true, onProgress }
    const runner = new Runner(options, [])
    yield* runner.begin(pipeline, 1)
    const task = {
      partition: { entity: "a", subject: null },
      state: { cursor: (key: string) => cursors.get(key), openGaps: [], isSkipped: () => false },
    }
    yield* runner.read(pipeline, task, { ...defaultRunSettings, now: 0, today: 0 })
    yield* (yield* ResponseArchive).end
    return { ids, outcomes: runner.tallies.get(pipeline.name)?.outcomes }
  }).pipe(Effect.provide(services))
}
