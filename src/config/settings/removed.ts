// Settings of earlier versions, so that a configuration file which still has one is answered with what to do.

/** By path; the text completes "… is no longer a setting: ". */
export const removedSettings: Readonly<Record<string, string>> = {
  publishedGroup:
    "remove it, and let the folder give its files a group: `chgrp analysts DIR` and `chmod g+s DIR` on the data directory",
  publishedStorageVersion:
    "remove it; DuckDB 1.1 and later open every published copy, as with its default",
  "parquet.compression": "remove it; Parquet files are compressed with zstd",
  "parquet.profile":
    "remove it; Parquet files have one format. For a reader without zstd or timestamps, write another with `vaulthouse query --format` or DuckDB's COPY",
}
