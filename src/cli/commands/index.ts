// Every command. A new one is one file in this folder and one line here.
import type { Command } from "../Command.ts"
import { backup } from "./backup.ts"
import { call } from "./call.ts"
import { check } from "./check.ts"
import { compact } from "./compact.ts"
import { completion } from "./completion.ts"
import { config } from "./config.ts"
import { diff } from "./diff.ts"
import { docs } from "./docs.ts"
import { doctor } from "./doctor.ts"
import { fields } from "./fields.ts"
import { init } from "./init.ts"
import { maintain } from "./maintain.ts"
import { move } from "./move.ts"
import { notify } from "./notify.ts"
import { prune } from "./prune.ts"
import { publish } from "./publish.ts"
import { query } from "./query.ts"
import { replay } from "./replay.ts"
import { report } from "./report.ts"
import { restore } from "./restore.ts"
import { runs } from "./runs.ts"
import { schedule } from "./schedule.ts"
import { serve } from "./serve.ts"
import { simulate } from "./simulate.ts"
import { status } from "./status.ts"
import { swap } from "./swap.ts"
import { sync } from "./sync.ts"
import { tables } from "./tables.ts"
import { trace } from "./trace.ts"
import { verify } from "./verify.ts"
import { worker } from "./worker.ts"

export const commands: ReadonlyArray<Command> = [
  init,
  sync,
  schedule,
  worker,
  status,
  check,
  runs,
  diff,
  trace,
  query,
  serve,
  report,
  tables,
  fields,
  docs,
  doctor,
  config,
  notify,
  publish,
  verify,
  replay,
  prune,
  compact,
  maintain,
  backup,
  restore,
  move,
  call,
  swap,
  simulate,
  completion,
]
