// Names under which series points carry their time. The document withholds the name (§2.8, §2.9), so it
// is looked for in this order; configuration (`timeFields`) can say otherwise.

export const defaultTimeFields: ReadonlyArray<string> = [
  "timestamp",
  "datetime",
  "dateTime",
  "date_time",
  "snapshot_at",
  "snapshotAt",
  "snapshot_datetime",
  "snapshotDatetime",
  "snapshot_time",
  "snapshotTime",
  "observed_at",
  "observedAt",
  "recorded_at",
  "recordedAt",
  "created_at",
  "createdAt",
  "time",
  "ts",
  "date",
]
