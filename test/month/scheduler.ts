// `vaulthouse schedule` as a process on a simulated clock: jump to an instant, kill it, stop it, read its log.
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { join } from "node:path"
import { bin, environment } from "../cli/command.ts"

const clock = join(import.meta.dirname, "clock.ts")

/** Longest time a run may take, of the machine. */
const LONGEST_RUN_MILLIS = 1_200_000

export class Scheduler {
  private readonly child: ChildProcess
  private readonly ended: Promise<unknown>
  private readonly log: (text: string) => void
  private heard = ""
  private wake: () => void = () => undefined

  /** `now`: an ISO instant, here and below. */
  constructor(cwd: string, now: string, log: (text: string) => void) {
    this.log = log
    this.child = spawn(bin, ["schedule", "--listen", "off"], {
      cwd,
      env: {
        ...environment,
        VAULTHOUSE_API_KEY: "demo-admin-key",
        NODE_OPTIONS: `--import=${clock}`,
        SIMULATED_NOW: now,
      },
      stdio: ["ignore", "pipe", "pipe", "ipc"],
    })
    this.ended = once(this.child, "exit")
    for (const stream of [this.child.stdout, this.child.stderr]) {
      stream?.setEncoding("utf8").on("data", (text: string) => {
        this.log(text)
        this.heard += text
        this.wake()
      })
    }
    void this.ended.then(() => this.wake())
  }

  jump(now: string): void {
    this.heard = ""
    this.child.send(now)
  }

  /** Waits until nothing runs; the instant of the next run. */
  async idle(): Promise<string> {
    const text = await this.hears(/next run at (\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d) UTC/)
    return `${text[1]}T${text[2]}Z`
  }

  async hears(pattern: RegExp): Promise<RegExpExecArray> {
    const deadline = performance.now() + LONGEST_RUN_MILLIS
    for (;;) {
      const found = pattern.exec(this.heard)
      if (found !== null) return found
      if (this.child.exitCode !== null || performance.now() > deadline) {
        throw new Error(`the scheduler did not say ${String(pattern)}:\n${this.heard}`)
      }
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, 1000)
        this.wake = () => {
          clearTimeout(timer)
          resolve()
        }
      })
    }
  }

  /** Waits until a condition of the machine holds, or nothing runs any more. */
  async ranUntil(holds: () => boolean): Promise<void> {
    while (!holds() && !/next run at/.test(this.heard)) {
      await new Promise((resolve) => setTimeout(resolve, 2))
    }
  }

  async end(signal: "SIGTERM" | "SIGKILL"): Promise<void> {
    this.child.kill(signal)
    await this.ended
  }
}
