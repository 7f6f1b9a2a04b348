// The user of a connection, as libpq takes it.
import { spawnSync } from "node:child_process"
import { expect, it } from "vitest"

const program = `
  import { userOf } from ${JSON.stringify(new URL("../../../src/load/postgres/connect.ts", import.meta.url))}
  for (const user of ["someone", undefined]) {
    try {
      console.log(userOf({ user, shown: "db.example.com" }))
    } catch ({ message }) {
      console.log(message)
    }
  }
`
// Only root can start a process as somebody else, here as one without a name.
const isRoot = process.geteuid?.() === 0

it.runIf(isRoot)("of a process whose user has no name has to be named", () => {
  const { stdout, stderr } = spawnSync(
    process.execPath,
    ["--input-type=module", "--eval", program],
    { uid: 54321, encoding: "utf8" },
  )
  expect({ stdout, stderr }).toEqual({
    stdout: [
      "someone",
      "Publishing to db.example.com failed: the connection string names no user, and this process runs as 54321, which has no name here. Put the user into the connection string, or set PGUSER.",
      "",
    ].join("\n"),
    stderr: "",
  })
})
