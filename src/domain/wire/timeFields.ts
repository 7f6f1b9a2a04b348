// The possible names of the time of a series' point, in the order in which they are tried. The document does not show
// the name (§2.8, §2.9); the setting `timeFields` replaces this list.

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
  "time",
  "ts",
  "date",
  // Last, because points that are computed again may get another one.
  "created_at",
  "createdAt",
]
