// Every command. A new one is a folder next to this file and one line here.
import type { Command } from "../parse/Command.ts"
import { backup } from "./backup/command.ts"
import { call } from "./call/command.ts"
import { check } from "./check/command.ts"
import { compact } from "./compact/command.ts"
import { completion } from "./completion/command.ts"
import { config } from "./config/command.ts"
import { diff } from "./diff/command.ts"
import { doctor } from "./doctor/command.ts"
import { fields } from "./fields/command.ts"
import { init } from "./init/command.ts"
import { maintain } from "./maintain/command.ts"
import { mcp } from "./mcp/command.ts"
import { move } from "./move/command.ts"
import { notify } from "./notify/command.ts"
import { prune } from "./prune/command.ts"
import { publish } from "./publish/command.ts"
import { query } from "./query/command.ts"
import { replay } from "./replay/command.ts"
import { report } from "./report/command.ts"
import { restore } from "./restore/command.ts"
import { runs } from "./runs/command.ts"
import { schedule } from "./schedule/command.ts"
import { serve } from "./serve/command.ts"
import { simulate } from "./simulate/command.ts"
import { status } from "./status/command.ts"
import { swap } from "./swap/command.ts"
import { sync } from "./sync/command.ts"
import { tables } from "./tables/command.ts"
import { trace } from "./trace/command.ts"
import { verify } from "./verify/command.ts"
import { worker } from "./worker/command.ts"

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
  mcp,
  tables,
  fields,
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
