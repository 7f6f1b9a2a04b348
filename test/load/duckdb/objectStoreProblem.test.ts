// What is said of DuckDB's requests to object storage; that of a real httpfs is in test/lake/objectStorage.
import { expect, it } from "vitest"
import { filesError } from "../../../src/load/errors.ts"
import { objectStoreProblem } from "../../../src/load/duckdb/objectStoreProblem.ts"

const problemAt = (address: string, status = "403 Forbidden", code = "AccessDenied") =>
  objectStoreProblem(
    `HTTP Error: HTTP GET error reading '${address}' in region 'us-east-1' (HTTP ${status})\n\n${code}: No`,
  )

it("finds the object in its address, whether the bucket is in the path or in the host", () => {
  for (const address of [
    "http://127.0.0.1:33322/my.bucket/lake/a%20b.parquet",
    "https://my.bucket.s3.us-east-1.amazonaws.com/lake/a%20b.parquet",
    "https://my.bucket.s3.amazonaws.com/lake/a%20b.parquet",
  ]) {
    expect(problemAt(address)?.why).toContain("in s3://my.bucket/lake/a b.parquet (AccessDenied)")
  }
})

it("a missing object is a matter of its table alone, a refused one of all commits", () => {
  const address = "http://127.0.0.1:33322/bucket/lake/a.parquet"
  expect(problemAt(address, "404 Not Found", "NoSuchKey")?.reason).toBe("Database")
  expect(problemAt(address)?.reason).toBe("Files")
})

it("is said of a publication too", () => {
  const refused = new Error(
    "HTTP Error: HTTP GET error reading 'http://127.0.0.1:33322/bucket/lake/a.parquet' in region '' (HTTP 403 Forbidden)\n\nAccessDenied: No",
  )
  expect(filesError("Publishing the warehouse", refused).message).toBe(
    "Publishing the warehouse: the key may not read objects in s3://bucket/lake/a.parquet (AccessDenied). Readers keep the files they have. Allow s3:GetObject there.",
  )
})

it("says nothing of other requests", () => {
  const download =
    'HTTP Error: Failed to download extension "aws" at URL "http://extensions.duckdb.org/aws.gz" (HTTP 404)'
  expect(objectStoreProblem(download)).toBe(undefined)
})
