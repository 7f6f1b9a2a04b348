// The bars of a run, on a terminal that has fewer lines than there are pipelines.
import { once } from "node:events"
import { join } from "node:path"
import { text } from "node:stream/consumers"
import { describe, expect, it } from "vitest"
import { pipelineNames } from "../../../../src/pipelines/pipelines.ts"
import { useStreams } from "../../../../src/cli/terminal/output.ts"
import { bars } from "../../../../src/cli/commands/sync/bars.ts"
import { hasTerminal, runOnTerminal, sink } from "../../command.ts"

const LINES = 24
const COLUMNS = 80

const control = (sign: string): RegExp => new RegExp(`\\u001B\\[([\\d;?]*)${sign}`, "g")

const script = join(import.meta.dirname, "drawBars.ts")

const draw = async (columns: number): Promise<string> => {
  const child = runOnTerminal([process.execPath, script], import.meta.dirname, columns, LINES)
  const [shown, [code]] = await Promise.all([text(child.stdout), once(child, "close")])
  expect(code).toBe(0)
  return shown
}

const linesOf = (shown: string): ReadonlyArray<string> =>
  shown.replaceAll(control("[A-Za-z]"), "").split(/[\r\n]+/)

describe.runIf(hasTerminal)("bars", () => {
  it("never reach above the terminal, and each leaves one line when it is done", async () => {
    const shown = await draw(COLUMNS)
    const ups = [...shown.matchAll(control("A"))].map(([, up]) => Number(up))
    expect(Math.max(...ups)).toBeGreaterThan(LINES / 2)
    expect(Math.max(...ups)).toBeLessThan(LINES)
    const lines = linesOf(shown)
    const done = lines.filter((line) => line.endsWith(" done"))
    expect(done.map((line) => line.trim().split(" ")[0])).toEqual([...pipelineNames])
    expect(done[0]).toMatch(/^ \w+ +█+ 2\/2 +9,134 rows +2 req +[\d,]+\/s done$/)
    expect(lines.filter((line) => line.length > COLUMNS)).toEqual([])
  })

  it("leave one line on a narrow terminal too", async () => {
    const done = linesOf(await draw(60)).filter((line) => line.endsWith(" done"))
    expect(done.map((line) => line.trim().split(" ")[0])).toEqual([...pipelineNames])
    expect(done[0]).toMatch(/^ \w+ +█+ 2\/2 +9,134 rows done$/)
  })
})

it("lines above the bars keep their last character where they fill the terminal", () => {
  const { stream, text: written } = sink(COLUMNS)
  useStreams({ stdin: process.stdin, stdout: stream, stderr: stream })
  const line = `  ${"x".repeat(COLUMNS - 2)}`
  const { onProgress, stop } = bars(() => `First ${line.trim()}`)
  onProgress({ kind: "stage", stage: "publishing" })
  stop()
  useStreams(process)
  // Erased after it, the last character would go.
  expect(written()).toContain(`\u001B[K${line}\n`)
})
