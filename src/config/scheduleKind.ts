// When `vaulthouse schedule` runs what: an entry of the setting `schedule`. Imports nothing, as every `--help` loads it.

export const scheduleKind = {
  type: "record",
  fields: {
    hourly: {
      kind: { type: "cron" },
      default: "7 * * * *",
      describe: "When `vaulthouse schedule` runs the hourly pipelines",
    },
    daily: {
      kind: { type: "cron" },
      default: "37 3 * * *",
      describe: "When it runs the daily ones",
    },
    maintenance: {
      kind: { type: "cron" },
      default: "17 4 * * *",
      describe: "When it maintains a lake (`vaulthouse maintain`)",
    },
    jitterSeconds: {
      kind: { type: "integer", min: 0, max: 3600 },
      default: 60,
      describe: "Longest random delay of a run, so that many installations don't start together",
    },
  },
} as const
